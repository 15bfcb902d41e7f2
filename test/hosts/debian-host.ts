import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { unpackedPackage } from './unpacked-package.ts'

/** The root file system of a Debian host, or why this machine cannot make one. */
export type RootFilesystem =
  { readonly kind: 'ready'; readonly path: string } | { readonly kind: 'unavailable'; readonly reason: string }

/** What a command has done. `code` is null if a signal ended it. */
export interface CommandOutcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** How a command is run in a host: by root in `/` with nothing on standard input, where nothing else is said. */
export interface CommandOptions {
  readonly user?: string
  readonly cwd?: string
  readonly stdin?: string | Buffer
}

/** A Debian that has booted, without network. Its files are a copy that ends with it. */
export interface DebianHost {
  /** Runs a command to its end, with any exit code. */
  readonly run: (command: readonly string[], options?: CommandOptions) => Promise<CommandOutcome>
  /** Runs a script of bash that must succeed, and returns what it prints. */
  readonly shell: (script: string) => Promise<string>
  /** Runs a script of bash with the programs of this machine in the network of the host; it must succeed. */
  readonly inNetwork: (script: string) => Promise<string>
  /** Writes a file with mode 0644 below directories that exist. */
  readonly write: (path: string, content: string) => Promise<void>
  /** The process id of its init, for what goes into its namespaces from outside. It is another one after a reboot. */
  readonly init: () => string
  /** Shuts it down and starts it again from its files; what was only in its memory, network settings too, is as after any start. */
  readonly reboot: () => Promise<void>
  /** Ends the host with everything that runs in it. */
  readonly stop: () => Promise<void>
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

const SCRIPTS = fileURLToPath(new URL('.', import.meta.url))
/** What build-debian.sh ends with where the machine lacks something: EX_UNAVAILABLE of sysexits.h. */
const UNAVAILABLE = 69
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const NAMESPACES = ['--mount', '--uts', '--ipc', '--net', '--pid', '--cgroup', '--root', '--wd']

/** Which of Debian's packages a host can install although it has no network. One list for all tests, so that one host is made. */
const OFFERED = [
  'nginx',
  'postgresql',
  'postgresql-15-pgaudit',
  'docker.io',
  'openssl',
  'auditd',
  'dconf-cli',
  'nftables',
  'sudo',
  'chrony',
  'libpam-pwquality',
  'apparmor',
  'rsyslog',
  'aide-common',
  'apparmor-utils',
  'audispd-plugins',
  'grub2-common',
  'openscap-scanner',
  'ssg-debian',
  'systemd-journal-remote',
  'systemd-timesyncd',
  'ufw',
  'iptables-persistent',
]

/** What a host of another release of Debian can install. */
const OFFERED_ELSEWHERE = [
  'sudo',
  'chrony',
  'auditd',
  'audispd-plugins',
  'aide-common',
  'apparmor',
  'apparmor-utils',
  'libpam-pwquality',
  'rsyslog',
  'systemd-journal-remote',
  'systemd-timesyncd',
  'nftables',
  'ufw',
]

/**
 * Makes the root file system, of this machine's release of Debian or of the one that is named, or finds the one made before.
 * Throws if it can be made here and yet fails.
 */
export async function prepareRootFilesystem(suite?: string): Promise<RootFilesystem> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return { kind: 'unavailable', reason: 'needs root on Linux' }
  const script =
    suite === undefined
      ? startScript('build-debian.sh', OFFERED)
      : startScript('build-debian.sh', ['--suite', suite, ...OFFERED_ELSEWHERE])
  const { code, stdout, stderr } = await capture(script)
  if (code === 0) return { kind: 'ready', path: stdout.trim() }
  if (code === UNAVAILABLE) return { kind: 'unavailable', reason: stderr.trim() }
  throw new Error(`build-debian.sh ended with ${code}:\n${stderr}`)
}

/** Boots a copy of a root file system, with this very Node and nothing of the project. It ends with this process. */
export async function bootHost(path: string): Promise<DebianHost> {
  const node = `--bind-ro=${process.execPath}:/usr/local/bin/node`
  const child = startScript('boot-debian.sh', [path, node])
  const end = capture(child)
  const inits = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let init = await nextInit(inits, end)
  const run: DebianHost['run'] = (command, options = {}) => capture(enter(init, command, options), options.stdin)
  const expectSuccess = async (command: readonly string[], stdin?: string): Promise<string> =>
    successOf(command, await run(command, stdin === undefined ? {} : { stdin }))
  return {
    run,
    init: () => init,
    shell: (script) => expectSuccess(['bash', '-euo', 'pipefail', '-c', script]),
    inNetwork: async (script) => {
      const command = ['--target', init, '--net', '--', 'bash', '-euo', 'pipefail', '-c', script]
      return successOf(command, await capture(spawn('nsenter', command)))
    },
    write: async (file, content) => {
      await expectSuccess(['sh', '-c', 'cat >"$1" && chmod 0644 "$1"', 'sh', file], content)
    },
    reboot: async () => {
      await run(['systemctl', 'reboot'])
      init = await nextInit(inits, end)
    },
    stop: async () => {
      child.kill('SIGTERM')
      await end
    },
  }
}

function successOf(command: readonly string[], { code, stdout, stderr }: CommandOutcome): string {
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code} in the host:\n${stdout}${stderr}`)
  return stdout
}

/** Installs the built package as `npm install --global` does. */
export async function installDriftgate(host: DebianHost): Promise<void> {
  const modules = '/usr/local/lib/node_modules'
  await host.shell(`mkdir -p ${modules}; ln -s ${modules}/driftgate/dist/bin/driftgate.js /usr/local/bin/driftgate`)
  execFileSync('cp', ['-a', unpackedPackage(), `/proc/${host.init()}/root${modules}/driftgate`])
}

/** Boots a host with driftgate that ends with the test; concurrent tests have a `whenFinished` each. */
export async function bootForTest(
  rootFilesystem: RootFilesystem,
  whenFinished: (stop: DebianHost['stop']) => void = onTestFinished,
): Promise<DebianHost> {
  if (rootFilesystem.kind === 'unavailable') throw new Error(rootFilesystem.reason)
  const host = await bootHost(rootFilesystem.path)
  whenFinished(host.stop)
  await installDriftgate(host)
  return host
}

/** Starts a script that gets SIGTERM when this process ends, even if it is killed. */
function startScript(name: string, args: readonly string[]): Child {
  return spawn('setpriv', ['--pdeathsig', 'TERM', join(SCRIPTS, name), ...args])
}

/** A command in the namespaces of the host, with an environment that holds nothing of this process. */
function enter(init: string, command: readonly string[], { user = 'root', cwd = '/' }: CommandOptions): Child {
  const environment = [`PATH=${PATH}`, `HOME=${user === 'root' ? '/root' : `/home/${user}`}`, 'LC_ALL=C.UTF-8']
  const identity = ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups']
  const entered = ['env', '-i', `--chdir=${cwd}`, ...environment, ...identity, '--', ...command]
  return spawn('nsenter', ['--target', init, ...NAMESPACES, '--', ...entered])
}

async function capture(child: Child, stdin: string | Buffer = ''): Promise<CommandOutcome> {
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  // A command that does not read what it is given is no error of ours.
  child.stdin.on('error', () => undefined).end(stdin)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  return { code, stdout, stderr }
}

/** The init of a host that has come up; rejects with what was said if it does not. */
async function nextInit(lines: AsyncIterator<string>, end: Promise<CommandOutcome>): Promise<string> {
  const { value, done } = await lines.next()
  if (done !== true) return value
  const { code, stderr } = await end
  throw new Error(`the host ended with ${code} while it booted:\n${stderr}`)
}
