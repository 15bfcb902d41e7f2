import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { createAccountControl } from '../../src/subjects/accounts/live/control.ts'
import { openLocalAccounts } from '../../src/subjects/accounts/live/open-accounts.ts'
import { NO_JOURNAL } from '../../src/host/live/journal.ts'
import { createLocalRemediator } from '../../src/host/live/local-remediator.ts'
import { createLocalTarget } from '../../src/host/live/local-target.ts'
import { createLocalProbe } from '../../src/host/live/probe.ts'
import { findSystemProgram } from '../../src/host/live/system-programs.ts'
import type { LocalAccounts } from '../../src/subjects/accounts/accounts.ts'
import type { Remediator } from '../../src/host/remediator.ts'
import type { Target } from '../../src/host/target.ts'
import { opening, reading, writing } from './opening.ts'
import { ACCOUNTS } from '../../src/subjects/accounts/subject.ts'

/** The accounts of a machine whose files lie below a directory. */
export function accountsIn(root: string): LocalAccounts {
  return openLocalAccounts({ probe: createLocalProbe(), root, guarded: () => [0] })
}

/** Makes a directory that can be entered as a root once `/usr` is mounted in it. */
export function prepareRoot(root: string): void {
  for (const directory of ['etc', 'run', 'usr', 'proc', 'home', 'root', 'tmp']) {
    mkdirSync(join(root, directory), { recursive: true })
  }
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) {
    if (existsSync(`/usr/${name}`)) symlinkSync(`usr/${name}`, join(root, name))
  }
}

/** Runs a shell script in a mount namespace of its own where `/usr` is seen below the directory, and returns what it prints. */
export function runInside(root: string, script: string): string {
  const mounted = `mount --rbind /usr "$1/usr" && mount -t proc proc "$1/proc" && cd "$1" && ${script}`
  return execFileSync('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', mounted, 'sh', root], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** Why no such root can be entered here; undefined where it can. */
export function whyNoRoot(): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root'
  if (!existsSync('/usr/bin/perl')) return 'needs perl'
  if (!existsSync('/usr/bin/getent')) return 'needs getent'
  try {
    execFileSync('unshare', ['--mount', 'true'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'needs the right to make mount namespaces'
  }
}

/** A small machine with accounts of every kind. Its nsswitch.conf is that of Debian with libnss-systemd. */
export const ACCOUNT_FILES: Readonly<Record<string, string>> = {
  'etc/nsswitch.conf': 'passwd: files systemd\ngroup: files systemd\nshadow: files systemd\n',
  'etc/login.defs': 'UID_MIN 1000\nPASS_MAX_DAYS 99999\nUSERGROUPS_ENAB yes\nMAIL_DIR /var/mail\n',
  'etc/shells': '# shells\n/bin/sh\n/bin/bash\n',
  'etc/passwd': [
    'root:x:0:0:root:/root:/bin/bash',
    'daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin',
    'ann:x:1000:100:Ann:/home/ann:/bin/sh',
    '',
  ].join('\n'),
  'etc/shadow': [
    'root:$y$j9T$abc$def:19000:0:99999:7:::',
    'daemon:*:19000:0:99999:7:::',
    'ann:$6$abc$def:20000:0:90:7:::',
    '',
  ].join('\n'),
  'etc/group': 'root:x:0:\ndaemon:x:1:\nsudo:x:27:\nstaff:x:50:ann\npeople:x:100:\n',
  'etc/gshadow': 'root:*::\ndaemon:*::\nsudo:*::\nstaff:*::ann\npeople:*::\n',
  'etc/userdb/eve.user': '{"userName":"eve","uid":0,"gid":0,"shell":"/bin/sh"}',
  'etc/userdb/eve.user-privileged': '{"privileged":{"hashedPassword":["$6$abc$def"]}}',
}

/** The machine whose accounts lie below a directory, and everything else here. */
export function accountMachine(directory: string): Target {
  const accounts = accountsIn(directory)
  return {
    ...createLocalTarget(),
    open: opening(createLocalTarget(), reading(ACCOUNTS, accounts)),
    forget: () => accounts.forget(),
  }
}

/** The same for a fix; programs enter the directory as their root. */
export function accountHands(directory: string): Remediator {
  return {
    ...createLocalRemediator(NO_JOURNAL),
    open: opening(createLocalRemediator(NO_JOURNAL), writing(ACCOUNTS, createAccountControl(directory))),
  }
}

/** Why the tools of shadow cannot be run on a directory; undefined where they can. */
export const whyNoAccountTools: string | undefined =
  process.getuid?.() === 0 && findSystemProgram('useradd') !== undefined ? undefined : 'needs root, and useradd'

/** Whether a library of the system is there, in a directory of this architecture or a common one. */
export function findSystemLibrary(name: string): boolean {
  return readdirSync('/usr/lib', { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .some(({ name: directory }) => existsSync(join('/usr/lib', directory, name)))
}
