import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, test } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import { driftgate } from '../support/command-line.ts'
import { start, temporaryDirectory } from '../support/driftgate.ts'

// What the shipped policies ask for, written down a second time. Debian keeps password hashes readable by a group.
const [shadowGroup, shadowMode] = existsSync('/etc/debian_version') ? ['root shadow', '640'] : ['root', '0']
const ROOT_FILE = ['root', 'root', '644'] as const

/** The groups are names, one of which it must be; the mode is a bound, or where it has four digits what it must be. */
type Wanted = readonly [owner: string, groups: string, mode: string] | 'absent'

const BASELINE: Readonly<Record<string, Wanted>> = {
  '/etc/hosts.equiv': 'absent',
  '/etc/shadow': ['root', shadowGroup, shadowMode],
  '/etc/shadow-': ['root', shadowGroup, shadowMode],
  '/etc/gshadow': ['root', shadowGroup, shadowMode],
  '/etc/gshadow-': ['root', shadowGroup, shadowMode],
  '/etc/passwd': ROOT_FILE,
  '/etc/passwd-': ROOT_FILE,
  '/etc/group': ROOT_FILE,
  '/etc/group-': ROOT_FILE,
  '/etc/login.defs': ROOT_FILE,
  '/var/log': /^ID=ubuntu$/m.test(osRelease()) ? ['root', 'syslog', '775'] : ['root', 'root', '755'],
  '/etc/crontab': ['root', 'root', '600'],
  '/etc/cron.hourly': ['root', 'root', '700'],
  '/etc/cron.daily': ['root', 'root', '700'],
  '/etc/cron.weekly': ['root', 'root', '700'],
  '/etc/cron.monthly': ['root', 'root', '700'],
  '/etc/cron.d': ['root', 'root', '700'],
  '/etc/sudoers': ['root', 'root', '440'],
  '/etc/sudoers.d': ['root', 'root', '750'],
  '/boot/grub/grub.cfg': ['root', 'root', '600'],
  '/boot/grub2/grub.cfg': ['root', 'root', '600'],
}

const QUICKSTART: Readonly<Record<string, Wanted>> = {
  '/etc/passwd': ROOT_FILE,
  '/etc/group': ROOT_FILE,
  '/tmp': ['root', 'root', '1777'],
}

function osRelease(): string {
  return execFileSync('cat', ['/etc/os-release'], { encoding: 'utf8' })
}

/** What stat(1) says must come out, the sticky and group bits of directories aside. */
function expectedVerdict(path: string, wanted: Wanted): string {
  if (!existsSync(path)) return wanted === 'absent' ? 'compliant' : 'not-applicable'
  if (wanted === 'absent') return 'drifted'
  const [owner, group = '', mode = '', kind] = execFileSync('stat', ['-c', '%U %G %a %F', path], { encoding: 'utf8' })
    .trim()
    .split(' ')
  const compared = kind === 'directory' && wanted[2].length < 4 ? mode.slice(-3) : mode
  const isBelow = (Number.parseInt(compared, 8) & ~Number.parseInt(wanted[2], 8)) === 0
  const hasMode = wanted[2].length < 4 ? isBelow : compared === wanted[2]
  return owner === wanted[0] && wanted[1].split(' ').includes(group) && hasMode ? 'compliant' : 'drifted'
}

test.each<[string, Readonly<Record<string, Wanted>>]>([
  ['examples/file-permissions', BASELINE],
  ['quickstart', QUICKSTART],
])('%s says of this machine what stat(1) says', async (name, wanted) => {
  const { stdout, code } = await driftgate(['scan', `policies/${name}.yaml`, '--report', 'json'], {
    cwd: process.cwd(),
  })
  const run = JSON.parse(stdout) as Run
  const verdicts = run.policies.flatMap(({ resources }) => resources.map((result) => [result.name, result.verdict]))
  const expected = Object.entries(wanted).map(([path, attributes]) => [path, expectedVerdict(path, attributes)])
  expect(Object.fromEntries(verdicts)).toEqual(Object.fromEntries(expected))
  expect(code).toBe(expected.some(([, verdict]) => verdict === 'drifted') ? 2 : 0)
  expect(run.problems ?? []).toEqual([])
})

test.each(readdirSync('policies').filter((file) => file.endsWith('.yaml')))(
  '%s ties every resource to a control',
  async (file) => {
    // What is tied to what does not depend on the machine, and one without files is looked at quickly.
    const root = temporaryDirectory()
    mkdirSync(join(root, 'etc'))
    const args = ['scan', `policies/${file}`, '--report', 'json', '--target', `root:${root}`]
    const { stdout } = await driftgate(args, { cwd: process.cwd() })
    const run = JSON.parse(stdout) as Run
    expect(run.policies.flatMap(({ resources }) => resources)).not.toEqual([])
    for (const result of run.policies.flatMap(({ resources }) => resources))
      expect([result.id, result.controls.length]).not.toEqual([result.id, 0])
  },
)

test.each([
  { example: 'application', folder: 'greeter-1.4.2' },
  { example: 'web-server', folder: 'site-1.0.0' },
])('the example $example wants the archive that serve.mjs makes', async ({ example, folder }) => {
  const read = `fetch('{}').then((r) => r.arrayBuffer()).then((b) => console.log(
    require('crypto').createHash('sha256').update(Buffer.from(b)).digest('hex')))`
  const served = ['policies/examples/serve.mjs', `policies/examples/${example}/${folder}`, '--listen', '127.0.0.1:0']
  const command = [...served, '--', process.execPath, '-e', read]
  const { stdout } = await start(process.execPath, command, { cwd: process.cwd() }).outcome
  const policy = readFileSync(`policies/examples/${example}/policy.yaml`, 'utf8')
  expect(/^ {2}checksum: (\S+)$/m.exec(policy)?.[1]).toBe(stdout.trim())
})

test('the web server concerns no machine whose names it does not know', async () => {
  const policy = 'policies/examples/web-server/policy.yaml'
  const args = ['scan', policy, '--report', 'json', '--fact', 'host.info.platformFamily=alpine']
  const { stdout, code } = await driftgate(args, { cwd: process.cwd() })
  const resources = (JSON.parse(stdout) as Run).policies.flatMap((result) => result.resources)
  expect(new Set(resources.map(({ verdict }) => verdict))).toEqual(new Set(['not-applicable']))
  expect(code).toBe(5)
})
