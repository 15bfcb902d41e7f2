import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { onTestFinished } from 'vitest'
import { type Outcome, PROGRAM_SCRIPT, type Running, start, startDriftgate } from './driftgate.ts'
import { freePort } from './nats-server.ts'
import { hasProgram } from './programs.ts'
import { needsRoot } from './temporary.ts'

/** Why no SSH server can be started here; undefined where one can. */
export const NO_SSHD: string | undefined =
  needsRoot ?? (hasProgram('sshd') && hasProgram('sudo') ? undefined : 'needs openssh-server and sudo')

/** Who logs in; the account exists for that server alone, and tests that run beside this one have another. */
export const SCANNER: number = 60_000 + (process.pid % 1000)

/** A real server on a loopback port, in a mount namespace with an account, a sudo and a state of its own. */
export interface SshHost {
  readonly port: number
  /** Everything of it: keys, configuration, what was logged, and `home`. */
  readonly directory: string
  readonly home: string
  /** What is named as `--remote-binary`: a program that is the driftgate that was built. */
  readonly program: string
  /** For a client that uses the key and the known hosts of this server, and logs its command lines. */
  readonly env: Readonly<Record<string, string>>
  readonly target: string
  /** Runs a command there as the user who logs in, by a plain ssh. */
  readonly run: (command: string) => Promise<Outcome>
  /** Runs driftgate here with this host as its target. */
  readonly scan: (cwd: string, ...args: readonly string[]) => Running
  /** Has the server show another key from the next connection on. */
  readonly changeHostKey: () => void
  /** The command lines of ssh so far. */
  readonly commandLines: () => string
}

/** Starts a server for a test, with commands of root that prepare its mounts, and further lines of its configuration. */
export async function startSshHost(prepare = '', further = ''): Promise<SshHost> {
  const directory = mkdtempSync(join(tmpdir(), 'driftgate-sshd-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  chmodSync(directory, 0o755)
  const at = (name: string): string => join(directory, name)
  const home = at('home')
  mkdirSync(home, { mode: 0o755 })
  chownSync(home, SCANNER, SCANNER)
  const port = await freePort()
  for (const name of ['host', 'other', 'user']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', at(name)])
  }
  copyFileSync(at('user.pub'), at('authorized_keys'))
  writeFileSync(at('known_hosts'), `[127.0.0.1]:${port} ${readFileSync(at('host.pub'), 'utf8')}`)
  const account = `scanner:*:${SCANNER}:${SCANNER}::${home}:/bin/sh\n`
  writeFileSync(at('passwd'), `${readFileSync('/etc/passwd', 'utf8')}${account}`)
  writeFileSync(at('sudoers'), 'Defaults use_pty\nroot ALL=(ALL) ALL\nscanner ALL=(root) NOPASSWD: ALL\n', {
    mode: 0o440,
  })
  const own = `Port ${port}\nListenAddress 127.0.0.1\nHostKey ${at('key')}\nAuthorizedKeysFile ${at('authorized_keys')}\n`
  const fixed =
    'UsePAM no\nStrictModes no\nPidFile none\nMaxStartups 100\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n'
  writeFileSync(at('sshd_config'), own + fixed + further)
  const useKey = (name: string): void => writeFileSync(at('key'), readFileSync(at(name)), { mode: 0o600 })
  useKey('host')
  writeFileSync(
    at('config'),
    `Host *\n IdentityFile ${at('user')}\n IdentitiesOnly yes\n UserKnownHostsFile ${at('known_hosts')}\n GlobalKnownHostsFile none\n`,
  )
  mkdirSync(at('bin'))
  writeFileSync(at('bin/ssh'), `#!/bin/sh\necho "$*" >> ${at('log')}\nexec /usr/bin/ssh -F ${at('config')} "$@"\n`, {
    mode: 0o755,
  })
  writeFileSync(at('driftgate'), PROGRAM_SCRIPT, { mode: 0o755 })
  const mounts = [
    `mount --bind ${at('passwd')} /etc/passwd`,
    `mount --bind ${at('sudoers')} /etc/sudoers`,
    'mount -t tmpfs none /var/lib',
    'mkdir -p /run/sshd',
    prepare,
  ].filter((line) => line !== '')
  const script = [...mounts, `exec /usr/sbin/sshd -D -e -f ${at('sshd_config')}`].join(' && ')
  await start('unshare', ['-m', 'sh', '-c', script], { cwd: directory }).said('Server listening')
  const env = { PATH: `${at('bin')}:${process.env['PATH'] ?? ''}` }
  const target = `ssh:scanner@127.0.0.1:${port}`
  return {
    port,
    directory,
    home,
    program: at('driftgate'),
    env,
    target,
    run: (command) =>
      start(at('bin/ssh'), ['-p', String(port), 'scanner@127.0.0.1', command], { cwd: directory, env }).outcome,
    scan: (cwd, ...args) =>
      startDriftgate(['scan', '--target', target, '--remote-binary', at('driftgate'), ...args], { cwd, env }),
    changeHostKey: () => useKey('other'),
    commandLines: () => readFileSync(at('log'), 'utf8'),
  }
}
