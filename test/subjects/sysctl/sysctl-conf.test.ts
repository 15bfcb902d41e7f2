import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareFileNames, parseSysctlConf, sysctlPath, winnerOf } from '../../../src/subjects/sysctl/sysctl-conf.ts'
import { openKernelParameters } from '../../../src/subjects/sysctl/live.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { hostile } from '../../support/hostile-files.ts'
import { expectAgreement } from '../../support/proof.ts'
import { PATIENCE, sample } from '../../support/soak.ts'

// Names as the examples of sysctl.d(5) have them.
test.each([
  ['kernel.domainname', 'kernel/domainname'],
  ['kernel/domainname', 'kernel/domainname'],
  ['net.ipv4.conf.enp3s0/200.forwarding', 'net/ipv4/conf/enp3s0.200/forwarding'],
  ['net/ipv4/conf/enp3s0.200/forwarding', 'net/ipv4/conf/enp3s0.200/forwarding'],
])('%s is %s below /proc/sys', (name, path) => {
  expect(sysctlPath(name)).toBe(path)
})

const SETTINGS = ['all', 'default', 'v0', 'v0.5'].map((name) => `net/ipv4/conf/${name}/tag`)

const rest = ['# net.ipv4.conf.all.tag = 1', '; a comment', '', 'no assignment', '-net.ipv4.conf.v0.tag']

const line = fc.oneof(
  { weight: 60, arbitrary: assignment() },
  { weight: 10, arbitrary: fc.constantFrom(...rest) },
  fc.constantFrom('- net/ipv4/conf/all/tag', '/net/ipv4/conf/default/tag = 3'),
)

function assignment(): fc.Arbitrary<string> {
  const keys = [
    ...SETTINGS,
    'net.ipv4.conf.all.tag',
    'net.ipv4.conf.v0.tag',
    'net.ipv4.conf.v0/5.tag',
    'net.ipv4.conf.*.tag',
    'net.ipv4.conf.v*.tag',
    'net/ipv4/conf/v0?5/tag',
    'net/ipv4/conf/[ad]*/tag',
    'net.ipv4.*.v0.tag',
  ]
  return fc
    .tuple(
      fc.constantFrom('', '', ' ', '-'),
      fc.constantFrom(...keys),
      fc.constantFrom('=', ' = ', '\t=  '),
      fc.integer({ min: 1, max: 9 }),
    )
    .map(([before, key, sign, value]) => `${before}${key}${sign}${value}`)
}

const DIRECTORIES = ['etc', 'run', 'usr/local/lib', 'usr/lib']
const NAMES = ['10-a.conf', '50-b.conf', '9.conf', 'Z.conf', 'a.conf', 'ä.conf', 'not-read.txt', '.hidden.conf']

const path = fc
  .tuple(fc.constantFrom(...DIRECTORIES), fc.constantFrom(...NAMES))
  .map(([at, name]) => `${at}/sysctl.d/${name}`)

const machine = fc.uniqueArray(
  fc.record({
    path: fc.oneof({ weight: 8, arbitrary: path }, fc.constant('etc/sysctl.conf')),
    lines: fc.array(line, { maxLength: 5 }),
  }),
  { selector: (file) => file.path, minLength: 1, maxLength: 7 },
)
const texts = machine.map((files) => Object.fromEntries(files.map((each) => [each.path, `${each.lines.join('\n')}\n`])))

/** Applies the files of every machine with the program, in a network and directories of its own. */
const runAll = (program: string): string => `
set -e
ip link add v0 type bridge; ip link add v0.5 type bridge
mount --make-rprivate /
for directory in /etc/sysctl.d /run /usr/local/lib /usr/lib/sysctl.d; do mount -t tmpfs none $directory; done
[ -e /etc/sysctl.conf ] || echo > /etc/sysctl.conf
echo > /run/sysctl.conf; mount --bind /run/sysctl.conf /etc/sysctl.conf
cd "$1"
count=0
while [ -d $count ]; do
  rm -rf /etc/sysctl.d/* /etc/sysctl.d/.h* /run/sysctl.d /usr/local/lib/sysctl.d /usr/lib/sysctl.d/* /usr/lib/sysctl.d/.h*
  cp -r $count/etc/sysctl.d /etc; cp -r $count/run $count/usr /
  cat $count/etc/sysctl.conf > /etc/sysctl.conf 2>/dev/null || : > /etc/sysctl.conf
  for at in all default v0 v0.5; do echo 0 > /proc/sys/net/ipv4/conf/$at/tag; done
  ${program} > /dev/null 2>&1 || true
  for at in all default v0 v0.5; do read -r tag < /proc/sys/net/ipv4/conf/$at/tag || :; echo $tag; done > $count/truth
  count=$((count + 1))
done`

const PROGRAMS = [
  {
    name: 'systemd-sysctl',
    path: '/usr/lib/systemd/systemd-sysctl',
    program: 'SYSTEMD_LOG_LEVEL=crit /usr/lib/systemd/systemd-sysctl --prefix=/net/ipv4/conf',
    marker: 'lib/systemd/systemd-sysctl',
  },
  { name: 'sysctl of procps', path: 'sysctl', program: 'sysctl -q --system', marker: 'etc/init.d/procps' },
]

// The real program sets the parameters of a network of its own.
for (const { name, path: file, program, marker } of PROGRAMS) {
  const isThere = ['unshare', 'ip', file].every((each) => spawnSync(each, ['--version']).error === undefined)
  const needs = process.geteuid?.() !== 0 ? 'needs root' : isThere ? undefined : `needs unshare, ip and ${name}`
  test.skipIf(needs)(
    `the winner is the value that ${name} sets${needs === undefined ? '' : ` (${needs})`}`,
    { timeout: PATIENCE },
    () => {
      const directory = temporaryDirectory()
      const machines = sample(hostile(texts), { usual: 80, soak: 10_000 })
      for (const [index, files] of machines.entries()) {
        for (const at of ['etc/sysctl.d/x', 'run/sysctl.d/x', 'usr/lib/sysctl.d/x', marker])
          put(join(directory, String(index), at), '')
        for (const [at, text] of Object.entries(files)) put(join(directory, String(index), at), text)
      }
      execFileSync('unshare', ['--net', '--mount', 'sh', '-c', runAll(program), 'sh', directory], { stdio: 'pipe' })
      const wrong = machines.flatMap((files, index): unknown[] => {
        const root = join(directory, String(index))
        const stored = openKernelParameters(root).stored()
        if (stored.kind === 'unknown') return []
        const truth = readFileSync(join(root, 'truth'), 'utf8').trim().split('\n')
        const ours = SETTINGS.map((setting) => {
          const winner = winnerOf(stored.value, setting)
          return winner.kind === 'set' ? winner.assignment.value : winner.kind === 'none' ? '0' : 'unclear'
        })
        // The kernel refuses what is not a number.
        return ours.every((value, at) => !/^[+-]?\d+$/.test(value) || Number(value) === Number(truth[at]))
          ? []
          : [{ files, ours, truth }]
      })
      expectAgreement({ reader: 'sysctl.d', program: file, texts: machines.length }, wrong)
    },
  )
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

test.each([
  'net.ipv4.conf.{all,v0}.tag',
  'net/ipv4/conf/[[:alpha:]]*/tag',
  'net/ipv4/conf/a\\*/tag',
  'net/ipv4/conf/[/tag',
  `net/ipv4/conf/[a${'x'.repeat(256)}]*/tag`,
])('the matches of the pattern %s are unknown', (key) => {
  const list = parseSysctlConf(
    `${key.includes('*') || key.includes('[') ? key : `${key}*`} = 1`,
    '/etc/sysctl.d/a.conf',
  )
  expect(winnerOf({ lists: [list] }, 'net/ipv4/conf/all/tag').kind).toBe('unclear')
  const explicit = parseSysctlConf('net.ipv4.conf.all.tag = 2', '/etc/sysctl.d/b.conf')
  expect(winnerOf({ lists: [[...list, ...explicit]] }, 'net/ipv4/conf/all/tag')).toMatchObject({
    kind: 'set',
    assignment: { value: '2', file: '/etc/sysctl.d/b.conf', line: 1 },
  })
})

test.each(['v0.tag\r=2', 'v0.tag = 4\0', 'v0.tag = \f6', 'v0.tag \v= 7'])(
  'programs differ in what they make of %j, which is unknown',
  (line) => {
    const root = temporaryDirectory()
    put(join(root, 'usr/lib/systemd/systemd-sysctl'), '')
    put(join(root, 'etc/sysctl.d/a.conf'), `net.ipv4.conf.${line}\n`)
    const stored = openKernelParameters(root).stored()
    expect(stored).toMatchObject({ kind: 'unknown', detail: expect.stringContaining('a.conf:1') as string })
  },
)

test('names are compared as bytes, in any directory', () => {
  const files = ['/etc/sysctl.d/a.conf', '/usr/lib/sysctl.d/ä.conf', '/run/sysctl.d/Z.conf', '/etc/sysctl.d/9.conf']
  expect(files.toSorted(compareFileNames).map((file) => file.replace(/.*\//, ''))).toEqual([
    '9.conf',
    'Z.conf',
    'a.conf',
    'ä.conf',
  ])
})
