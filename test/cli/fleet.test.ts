import { mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { driftgate } from '../support/command-line.ts'
import { type Outcome, temporaryDirectory, UNPRIVILEGED, writePolicy } from '../support/driftgate.ts'

const DAY = 86_400_000

interface Report {
  readonly run: object
  readonly target: object
}

let scanned: Promise<Readonly<Record<'compliant' | 'drifted', Report>>> | undefined

/** The reports of two real scans: everything in order, and one resource drifted. */
async function scanBoth(): Promise<Readonly<Record<'compliant' | 'drifted', Report>>> {
  const cwd = temporaryDirectory()
  writePolicy(join(cwd, 'p.json'), [{ name: join(cwd, 'a'), ensure: 'absent' }], { id: 'site' })
  const scan = async (): Promise<Report> =>
    JSON.parse((await driftgate(['scan', 'p.json', '--report', 'json'], { cwd })).stdout)
  const compliant = await scan()
  writeFileSync(join(cwd, 'a'), '')
  return { compliant, drifted: await scan() }
}

interface Stored {
  readonly host: string
  readonly is: 'compliant' | 'drifted'
  readonly daysAgo?: number
}

/** Puts the report of a host where it would lie, as old as it says. */
async function store(path: string, { host, is, daysAgo = 0 }: Stored): Promise<void> {
  scanned ??= scanBoth()
  const report = (await scanned)[is]
  const startedAt = new Date(Date.now() - daysAgo * DAY)
  const run = { ...report.run, startedAt: startedAt.toISOString() }
  const text = JSON.stringify({ ...report, run, target: { ...report.target, hostname: host } })
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, path.endsWith('.gz') ? gzipSync(text) : text)
  utimesSync(path, startedAt, startedAt)
}

function fleetOf(roster?: string): { readonly cwd: string; readonly run: (...args: string[]) => Promise<Outcome> } {
  const cwd = temporaryDirectory(UNPRIVILEGED)
  mkdirSync(join(cwd, 'reports'))
  if (roster !== undefined) writeFileSync(join(cwd, 'hosts.yaml'), roster)
  const given = roster === undefined ? [] : ['--roster', 'hosts.yaml']
  return { cwd, run: (...args) => driftgate(['fleet', ...args, '--from', 'reports', ...given], { cwd }) }
}

test('fleet reports drifted and missing hosts with their age, as text, as JSON and as an exit code', async () => {
  const { cwd, run } = fleetOf(
    'interval: 1d\nhosts: [db01, { name: web01, labels: { role: web } }, { name: web02, labels: { role: web } }]\n',
  )
  const place = (name: string): string => join(cwd, 'reports', name)
  await store(place('web01/one.json'), { host: 'web01', is: 'drifted', daysAgo: 1 })
  await store(place('web01/two.json.gz'), { host: 'web01', is: 'drifted' })
  await store(place('web02/report.json'), { host: 'web02', is: 'compliant' })
  await store(place('laptop.json'), { host: 'laptop', is: 'compliant', daysAgo: 5 })

  const status = await run('status')
  expect(status).toMatchObject({ code: 0, stderr: '' })
  expect(status.stdout).toContain(
    'Not compliant: 1 host drifts at or above severity info; 1 host is expected and never',
  )
  expect(status.stdout).toContain('4 hosts: 1 drifted, 2 undecided, 1 compliant\n')
  expect(status.stdout).toContain('presence: 1 never, 1 silent, 2 reporting\n1 host not in the roster\n')
  expect(status.stdout).toMatch(/db01 +never +never reported/)
  expect(status.stdout).toMatch(/laptop +silent +reported 5d ago/)
  expect(status.stdout).toMatch(/medium +site: file#\S+ +1 +1 +1 +1d +web01\n/)
  // Between the two a second may pass.
  const ageless = (text: string): string => text.replaceAll(/\b\d+s +/g, '')
  expect(ageless((await run()).stdout)).toBe(ageless(status.stdout))

  const hosts = JSON.parse((await run('hosts', '--format', 'json')).stdout)
  expect(hosts).toMatchObject({
    schema: 'driftgate.fleet/v1',
    counts: { hosts: 4, drifted: 1, undecided: 2, compliant: 1, presence: { never: 1, silent: 1, reporting: 2 } },
    exit: { code: 2 },
    hosts: [
      { name: 'db01' },
      { name: 'laptop', isListed: false },
      { name: 'web01', answer: 'drifted' },
      { name: 'web02' },
    ],
  })
  expect((await run('gate')).code).toBe(2)
  expect(await run('gate', '--fail-on', 'high')).toMatchObject({ code: 3 })
  expect(await run('gate', '--host', 'web02')).toMatchObject({ code: 0, stdout: '1 host, exit 0\n' })
  expect((await run('hosts', '--label', 'role=web')).stdout.match(/^web/gm)).toHaveLength(2)
  const silent = (await run('silent')).stdout
  expect(silent).toMatch(/^db01 .*\nlaptop .*\n\n1 host not in the roster\n$/)
  const lines = (await run('export')).stdout.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { host: 'db01', presence: 'never' },
    { host: 'laptop', presence: 'silent' },
    { host: 'web01', standing: 'drifted', policy: 'site', severity: 'medium' },
    { host: 'web02', answer: 'compliant' },
  ])
  const open = (await run('hosts', '--control', 'file#*')).stdout
  expect(open.match(/^\w+/gm)).toEqual(['host', 'db01', 'laptop', 'web01'])
  expect(await run('gate', '--control', 'file#*')).toMatchObject({ code: 1, stdout: '' })
  const controls = JSON.parse((await run('controls', '--format', 'json')).stdout).controls
  expect(controls).toMatchObject([{ met: 1, hosts: { drifted: ['web01'], undecided: ['laptop'] } }])
})

test('the gate passes only if all hosts report and comply', async () => {
  const { cwd, run } = fleetOf('hosts: [web01]\n')
  expect(await run('gate')).toMatchObject({ code: 3 })
  await store(join(cwd, 'reports/web01.json'), { host: 'web01', is: 'compliant' })
  expect(await run('gate')).toMatchObject({ code: 0 })
  expect((await run('status')).stdout).toContain('Compliant: all hosts report and comply\n')
  expect(await run('silent')).toMatchObject({ code: 0, stdout: 'All hosts report\n' })
})

test('a report in the place of another host makes neither host compliant', async () => {
  const { cwd, run } = fleetOf('hosts: [web01, web02]\n')
  await store(join(cwd, 'reports/web01/a.json'), { host: 'web01', is: 'compliant' })
  await store(join(cwd, 'reports/web01/b.json'), { host: 'web02', is: 'compliant' })
  expect((await run('gate')).stdout).toContain('1 host is forged\n  1 host is expected and never reported\n')
})

test('controls in words, of few hosts and of many', async () => {
  const { cwd, run } = fleetOf()
  expect((await run('status')).stdout).toContain('no roster: missing hosts are not detected')
  await store(join(cwd, 'reports/fine.json'), { host: 'fine', is: 'compliant' })
  expect((await run('controls')).stdout).toBe('1 control or resource compliant on all hosts; -v lists them\n')
  expect((await run('controls', '-v')).stdout).toMatch(/medium +site: file#\S+ +0 +0 +1 /)
  for (let at = 10; at < 40; at++) {
    await store(join(cwd, `reports/web${at}.json`), { host: `web${at}`, is: 'drifted' })
  }
  const line = /medium +site: file#\S+ +30 +0 +1 .*$/m
  const [short = ''] = line.exec((await run('controls')).stdout) ?? []
  const [whole = ''] = line.exec((await run('controls', '-v')).stdout) ?? []
  const named = (text: string): number => text.match(/web\d\d/g)?.length ?? 0
  expect(named(whole)).toBe(30)
  expect(short).toMatch(new RegExp(`web10, .*, ${30 - named(short)} more$`))
  expect(JSON.parse((await run('status', '--format', 'json')).stdout).hosts).toBeUndefined()
  expect(JSON.parse((await run('silent', '--format', 'json')).stdout).hosts).toEqual([])
})

test.each(['bad.json', 'bad.json.gz'])(
  '%s of another host that was cut off does not decide about chosen hosts',
  async (name) => {
    const { cwd, run } = fleetOf()
    await store(join(cwd, 'reports/good.json'), { host: 'good', is: 'compliant' })
    const bad = join(cwd, 'reports', name)
    await store(bad, { host: 'bad', is: 'compliant' })
    const bytes = readFileSync(bad)
    writeFileSync(bad, bytes.subarray(0, name.endsWith('.gz') ? bytes.length - 60 : 700))
    expect(await run('gate', '--host', 'good')).toMatchObject({ code: 0, stdout: '1 host, exit 0\n' })
    expect(await run('gate')).toMatchObject({ code: 3 })
    // What says nothing of its host may be of any.
    writeFileSync(bad, bytes.subarray(0, 12))
    expect(await run('gate', '--host', 'good')).toMatchObject({ code: 3 })
  },
)

test('a file that is not a report is named and makes the gate undecided; links are not followed', async () => {
  const { cwd, run } = fleetOf()
  await store(join(cwd, 'reports/a.json'), { host: 'web01', is: 'compliant' })
  writeFileSync(join(cwd, 'secret.json'), '"of somebody else"')
  symlinkSync(join(cwd, 'secret.json'), join(cwd, 'reports/link.json'))
  expect(await run('gate')).toMatchObject({ code: 0, stderr: '' })
  writeFileSync(join(cwd, 'reports/cut.json.gz'), gzipSync('{}').subarray(0, 12))
  const { code, stdout, stderr } = await run('gate')
  expect([code, stdout]).toEqual([3, '1 host, exit 3\n  1 file cannot be used\n'])
  expect(stderr).toContain('skipping reports/cut.json.gz: ')
})

test('names of hosts stay text', async () => {
  const { cwd, run } = fleetOf()
  await store(join(cwd, 'reports/a.json'), { host: '\u001B[31mevil\nweb01', is: 'drifted' })
  const { stdout } = await run('hosts')
  expect(stdout).not.toContain('\u001B')
  expect(stdout.trim().split('\n')).toHaveLength(2)
})

test('an unreadable input is an error that names the file', async () => {
  const { cwd, run } = fleetOf('hosts:\n  - { nam: a }\n')
  const wrong = await run('status')
  expect(wrong).toMatchObject({ code: 1, stdout: '' })
  expect(wrong.stderr).toContain('hosts.yaml:2:5')
  expect(await driftgate(['fleet', '--from', 'nowhere'], { cwd })).toMatchObject({ code: 1, stdout: '' })
  expect(await driftgate(['fleet'], { cwd })).toMatchObject({ code: 1, stderr: expect.stringContaining('--from DIR') })
  const missing = await driftgate(['fleet', '--from', 'reports', '--roster', 'gone.yaml'], { cwd })
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('gone.yaml cannot be read') })
  writeFileSync(join(cwd, 'hosts.yaml'), 'hosts: [a]\n')
  expect(await run('hosts', '--host', 'b')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no host matches'),
  })
  expect(await run('hosts', '--label', 'role')).toMatchObject({ code: 1, stderr: expect.stringContaining('KEY=VALUE') })
})
