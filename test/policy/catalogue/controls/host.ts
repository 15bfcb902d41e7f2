import { chmodSync, chownSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { runInProcess } from '../../../support/command-line.ts'
import { put } from '../../../support/contract.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

export type Files = Readonly<Record<string, string>>

/** Files of a host, and what else is made of them. */
export interface Host {
  readonly files: Files
  readonly modes?: Readonly<Record<string, number>>
  readonly links?: Files
  /** Files of a user other than root. */
  readonly owned?: readonly string[]
  /** What the site chooses. */
  readonly set?: readonly string[]
}

export const DEBIAN: Files = {
  'usr/lib/os-release': 'ID=debian\nVERSION_ID="12"\n',
  'etc/passwd': 'root:x:0:0:root:/root:/bin/bash\nbob:x:1001:1001::/home/bob:/bin/bash\n',
  'etc/group': 'root:x:0:\nbob:x:1001:\n',
  'etc/shadow': 'root:*:19000::::::\nbob:*:19000::::::\n',
  'etc/shells': '/bin/bash\n',
  'etc/login.defs': 'UID_MIN 1000\n',
}

export const NET = { 'etc/issue.net': 'For staff\n' }

export const SSHD: Files = {
  ...DEBIAN,
  'usr/sbin/sshd': 'OpenSSH_9.2p1',
  'etc/ssh/sshd_config': 'Include /etc/ssh/sshd_config.d/*.conf\n',
}

export function sshdWith(lines: string, more: Files = {}): Host {
  return { files: { ...SSHD, 'etc/ssh/sshd_config': `${lines}\n`, ...more } }
}

export const RHEL: Files = {
  ...DEBIAN,
  'usr/lib/os-release': 'ID=almalinux\nID_LIKE="rhel fedora"\nVERSION_ID="9.4"\n',
}

const SHIPPED = new URL('../../../../policies/', import.meta.url)

/** A policy that ships, with these of its controls and no other: of hundreds, all others would be read for nothing. */
export function policyOf(name: string, ...ids: readonly string[]): string {
  const isOther = (line: string): boolean => {
    const [, listed] = /^ {4}- (.*)/.exec(line) ?? []
    return listed !== undefined && !ids.includes(listed.replace(/^L\d /, '').replace(/ .*/, ''))
  }
  const lines = readFileSync(new URL(`${name}.yaml`, SHIPPED), 'utf8').split('\n')
  const path = join(temporaryDirectory(), `${name}.yaml`)
  const text = lines.filter((line) => !isOther(line)).join('\n')
  writeFileSync(path, text.replace('from: catalogue', "from: '@catalogue'"))
  return path
}

export async function verdictOf(
  control: string,
  host: Host,
  root = temporaryDirectory(),
  fix = false,
): Promise<unknown> {
  const { files, modes = {}, links = {}, owned = [], set = [] } = host
  const [, policy = '', id = ''] = /^@(\S+) (\S+)$/.exec(control) ?? []
  put(root, files)
  for (const [path, mode] of Object.entries(modes)) chmodSync(join(root, path), mode)
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(root, path))
  for (const path of owned) chownSync(join(root, path), 1001, 1001)
  const scan = [
    'scan',
    policyOf(policy, id),
    '--only',
    id,
    '--offline-as',
    'not-applicable',
    '--target',
    `root:${root}`,
  ]
  if (fix) scan.push('--fix')
  const { stdout } = await runInProcess(...scan, ...set.flatMap((each) => ['--set', each]), '--report', 'json')
  const { policies } = JSON.parse(stdout) as { policies: [{ controls: readonly { id: string; verdict: string }[] }] }
  return policies[0].controls.find((each) => each.id === id)?.verdict
}

export const needsRoot = process.geteuid?.() === 0 ? undefined : 'needs root'

export type Row = [control: string, title: string, host: Host, verdict: string]

export const RSYSLOG = ['log_service=rsyslog']

export const WANTS = 'etc/systemd/system/multi-user.target.wants'

export function without(files: Files, path: string): Files {
  return Object.fromEntries(Object.entries(files).filter(([each]) => each !== path))
}
