import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runInProcess } from '../support/command-line.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** A directory with `db/site.yaml`, which drifts, and `web/site.yaml`, which does not. */
function twoSites(): string {
  const root = temporaryDirectory()
  for (const name of ['db', 'web']) {
    mkdirSync(join(root, name))
    const thing = join(root, `${name}.lock`)
    const text = `ccm: { resources: [{ file: [{ ${thing}: { ensure: absent } }] }] }\npolicy: { controls: [{ id: c1, title: About ${name}, resources: ["file#${thing}"] }] }\n`
    writeFileSync(join(root, name, 'site.yaml'), text)
  }
  writeFileSync(join(root, 'db.lock'), '')
  return root
}

/** Scans quietly and gives the exit code. */
async function scan(...args: readonly string[]): Promise<number> {
  return (await runInProcess('scan', '--quiet', ...args)).code
}

interface Reported {
  readonly policies: readonly { readonly id: string; readonly resources: readonly { readonly verdict: string }[] }[]
}

function read(path: string): Reported {
  const report: Reported = JSON.parse(readFileSync(path, 'utf8'))
  return report
}

test.each([[['db', 'web']], [['web', 'db']]])('two policies of one id in a run are both kept: %s', async (order) => {
  const root = twoSites()
  const report = join(root, 'report.json')
  const sources = order.map((name) => join(root, name))
  const reports = [`json=${report}`, `sarif=${join(root, 's.sarif')}`].flatMap((each) => ['--report', each])
  const { code, stdout } = await runInProcess('scan', ...sources, ...reports, '--history', join(root, 'runs'))
  expect(code).toBe(2)
  expect(stdout).toContain('2 policies have the id "site"')
  const verdicts = read(report).policies.map(({ id, resources }) => [id, resources[0]?.verdict])
  const expected: Readonly<Record<string, string>> = { db: 'drifted', web: 'compliant' }
  expect(verdicts).toEqual(order.map((name) => [`${name}/site`, expected[name]]))
  expect((await runInProcess('fleet', 'gate', '--from', join(root, 'runs'))).code).toBe(2)
  const controls = await runInProcess('fleet', 'controls', '--from', join(root, 'runs'), '--format', 'json')
  expect(controls.stdout).toContain('db/site')
  expect(controls.stdout).toContain('web/site')
})

test('two policies of one id that a host scans one after the other are both of the fleet', async () => {
  const root = twoSites()
  const runs = join(root, 'runs')
  await scan(join(root, 'db'), '--history', runs)
  await scan(join(root, 'web'), '--history', runs)
  expect((await runInProcess('fleet', 'gate', '--from', runs)).code).toBe(2)
  const { stdout } = await runInProcess('history', '--history', runs)
  expect(stdout).toMatch(/: db\/site$/m)
  expect(stdout).toMatch(/: web\/site$/m)
  const { code, stdout: difference } = await runInProcess('history', 'diff', 'latest~1', 'latest', '--history', runs)
  expect(code).toBe(3)
  expect(difference).toContain('its policy was not evaluated')
})

test('a baseline knows the drift of the policy that it is of, and of no other one of that id', async () => {
  const root = twoSites()
  const baseline = join(root, 'baseline.json')
  expect(await scan(join(root, 'db'), '--report', `json=${baseline}`)).toBe(2)
  expect(await scan(join(root, 'db'), '--baseline', baseline)).toBe(0)
  expect(await scan(join(root, 'web'), join(root, 'db'), '--baseline', baseline)).toBe(0)
  // The same finding, of a policy that is not in the baseline.
  writeFileSync(join(root, 'web', 'site.yaml'), `${readFileSync(join(root, 'db', 'site.yaml'), 'utf8')}# another\n`)
  expect(await scan(join(root, 'web'), '--baseline', baseline)).toBe(2)
})

test.each([
  ['renamed', 'db/other.yaml', ''],
  ['moved', 'site.yaml', ''],
  ['renamed and moved', 'other.yaml', ''],
  ['given another id', 'db/site.yaml', 'x-id: 1\n'],
])('a policy that was %s is the one that it was', async (_how, to, change) => {
  const root = twoSites()
  const from = join(root, 'db', 'site.yaml')
  const baseline = join(root, 'baseline.json')
  await scan(from, '--report', `json=${baseline}`)
  const text = readFileSync(from, 'utf8')
  writeFileSync(from, change === '' ? text : text.replace('policy: {', 'policy: { id: other,'))
  renameSync(from, join(root, to))
  expect(await scan(join(root, to), '--baseline', baseline)).toBe(0)
  const now = join(root, 'now.json')
  await scan(join(root, to), '--report', `json=${now}`)
  const { code, stdout } = await runInProcess('compare', baseline, now)
  expect([code, stdout]).toEqual([0, expect.stringContaining('1 unchanged')])
})

test.each([[['a', 'b']], [['b', 'a']]])(
  'a report of several hosts is of these hosts to the fleet: %s',
  async (order) => {
    const root = temporaryDirectory()
    const reports = join(root, 'reports')
    mkdirSync(reports)
    for (const name of order) {
      mkdirSync(join(root, name, 'etc'), { recursive: true })
      if (name === 'a') writeFileSync(join(root, name, 'etc/lock'), '')
    }
    const policy = join(root, 'policy.yaml')
    writeFileSync(policy, 'ccm: { resources: [{ file: [{ /etc/lock: { ensure: absent } }] }] }\n')
    const targets = order.flatMap((name) => ['--target', `root:${join(root, name)}`])
    expect(await scan(policy, ...targets, '--report', `json=${join(reports, 'all.json')}`)).toBe(2)
    const gate = await runInProcess('fleet', 'gate', '--from', reports)
    expect([gate.code, gate.stdout]).toEqual([2, expect.stringContaining('2 hosts')])
  },
)

test('a number of runs to keep counts those of each host and set of policies', async () => {
  const root = twoSites()
  const runs = join(root, 'runs')
  await scan(join(root, 'db'), '--history', runs, '--keep', '1')
  for (let count = 0; count < 3; count++) await scan(join(root, 'web'), '--history', runs, '--keep', '1')
  const { stdout } = await runInProcess('history', '--history', runs, '--format', 'json')
  const listing: { readonly runs: readonly { readonly policies: readonly { readonly source: string }[] }[] } =
    JSON.parse(stdout)
  expect(listing.runs.map(({ policies }) => policies[0]?.source)).toEqual([
    join(root, 'web/site.yaml'),
    join(root, 'db/site.yaml'),
  ])
  expect((await runInProcess('fleet', 'gate', '--from', runs)).code).toBe(2)
})

test('two machines of one name are two hosts of the fleet, whichever reported last', async () => {
  const root = twoSites()
  const reports = join(root, 'reports')
  mkdirSync(reports)
  await scan(join(root, 'db'), '--report', `json=${join(reports, 'a.json')}`)
  await scan(join(root, 'web'), '--report', `json=${join(reports, 'b.json')}`)
  const machines = ['11111111aaaaaaaa', '22222222bbbbbbbb']
  for (const [index, file] of ['a.json', 'b.json'].entries()) {
    const report = JSON.parse(readFileSync(join(reports, file), 'utf8'))
    const target = { kind: 'local', hostname: 'localhost', os: report.target.os, machine: machines[index] }
    writeFileSync(join(reports, file), JSON.stringify({ ...report, target }))
  }
  const { code, stdout } = await runInProcess('fleet', 'gate', '--from', reports)
  expect([code, stdout]).toEqual([2, expect.stringContaining('2 hosts')])
  const listed = await runInProcess('fleet', 'hosts', '--from', reports)
  for (const machine of machines) expect(listed.stdout).toContain(`localhost (${machine})`)
})
