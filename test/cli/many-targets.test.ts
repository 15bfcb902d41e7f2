import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import { driftgate } from '../support/command-line.ts'
import { type Outcome } from '../support/driftgate.ts'
import { SELF } from '../support/contract.ts'
import { POLICY, site, targets } from '../support/scenes/many-targets.ts'

/** Not valid where the machine is called bad: only there it needs a manifest that is missing. */
const CHOOSY = `ccm:
  resources:
  - file:
      - /etc/motd: { ensure: present, content: "hello\\n", owner: "${SELF.owner}", group: "${SELF.group}", mode: "0644" }
  - apply:
      - ghost.yaml: { control: { if: 'Facts.host.info.hostname == "bad"' } }
`

async function scan(cwd: string, ...args: readonly string[]): Promise<Outcome & { readonly run: Run }> {
  const outcome = await driftgate(['scan', 'p.yaml', '--report', 'json', ...args], { cwd })
  return { ...outcome, run: JSON.parse(outcome.stdout) as Run }
}

const validate = new Ajv2020({ strict: false }).compile(
  JSON.parse(readFileSync(new URL('../../schemas/report.schema.json', import.meta.url), 'utf8')) as object,
)

describe('several --target', () => {
  test('make one report, in which every policy and every target stands by itself', async () => {
    // Two of them call themselves the same, as copies of one image do.
    const name = { 'etc/hostname': 'golden\n' }
    const cwd = site({ a: name, b: { ...name, 'etc/motd': 'bye\n' }, c: {} })
    const { run, code } = await scan(cwd, ...targets('a', 'b', 'c'))
    expect(validate(run), JSON.stringify(validate.errors)).toBe(true)
    expect(code).toBe(2)
    expect(run.target).toMatchObject({ kind: 'merged' })
    expect(run.policies.map(({ id, target, inputs }) => [id, target, inputs])).toEqual([
      ['p', 'root:a', ['--target=root:a']],
      ['p', 'root:b', ['--target=root:b']],
      ['p', 'root:c', ['--target=root:c']],
    ])
    expect(run.targets?.map((each) => [each.name, each.spec, each.kind, each.exit.code, each.summary.drifted])).toEqual(
      [
        ['root:a', 'root:a', 'root', 0, 0],
        ['root:b', 'root:b', 'root', 2, 1],
        ['root:c', 'root:c', 'root', 0, 0],
      ],
    )
    expect(run.summary).toMatchObject({ total: 6, compliant: 5, drifted: 1 })
  })

  test('a target that cannot be opened is a result, and gives exit code 3 without drift', async () => {
    const { run, code } = await scan(site({ a: {} }), ...targets('a', 'gone'))
    expect(validate(run), JSON.stringify(validate.errors)).toBe(true)
    expect([code, run.exit.code]).toEqual([3, 3])
    const [, policy] = run.policies
    expect(policy).toMatchObject({ target: 'root:gone', resources: [{ verdict: 'error', reason: 'unreachable' }] })
    expect(run.targets?.[1]).toMatchObject({ name: 'root:gone', reason: 'unreachable', exit: { code: 3 } })
    expect(run.exit.reasons).toEqual([expect.stringMatching(/^root:gone: unreachable: .*no such file/)])
  })

  test('policies that are not valid for one of them are its result, and the exit code 1', async () => {
    const { run, code } = await scan(site({ a: { 'etc/hostname': 'bad\n' }, b: {} }, CHOOSY), ...targets('a', 'b'))
    expect(validate(run), JSON.stringify(validate.errors)).toBe(true)
    expect(code).toBe(1)
    expect(run.targets?.map(({ exit, summary }) => [exit.code, summary.error])).toEqual([
      [1, 1],
      [0, 0],
    ])
    expect(run.policies.map(({ id, target }) => [id, target])).toEqual([
      ['target', 'root:a'],
      ['p', 'root:b'],
    ])
    expect(run.problems?.[0]).toMatchObject({ position: { file: 'p.yaml' } })
  })

  test('--fail-fast begins with none after the first that fails, and tells of each that it left', async () => {
    const cwd = site({ a: {}, b: { 'etc/motd': 'bye\n' }, c: {}, d: {} })
    const { run, code } = await scan(cwd, ...targets('a', 'b', 'c', 'd'), '--fail-fast', '--parallel', '1')
    expect(code).toBe(2)
    expect(run.targets?.map(({ exit, reason }) => [exit.code, reason])).toEqual([
      [0, undefined],
      [2, undefined],
      [3, 'not-observable'],
      [3, 'not-observable'],
    ])
    expect(run.policies[2]?.resources[0]?.message).toBe('not scanned: --fail-fast after the failure of root:b')
  })

  test('the text report ends with a line for each, the worst first', async () => {
    const cwd = site({ a: {}, b: { 'etc/motd': 'bye\n' } })
    const { stdout } = await driftgate(['scan', 'p.yaml', ...targets('a', 'gone', 'b')], { cwd })
    const table = stdout.slice(stdout.indexOf('targets, worst first')).split('\n').slice(1, 4)
    expect(table).toEqual([
      '  exit 2    root:b     1 compliant, 1 drifted',
      expect.stringMatching(/^ {2}exit 3 {4}root:gone {2}unreachable: cannot open gone: no such file or directory$/),
      '  exit 0    root:a     2 compliant',
    ])
  })

  test.each([
    ['junit', /<testsuite name="p on root:b"[\s\S]*hostname="root:b"[\s\S]*name="target.spec" value="root:b"/],
    ['prometheus', /driftgate_resources\{host="root:b",policy="p",verdict="drifted"\} 1/],
    ['tap', /not ok .*root:b/],
    ['markdown', /`root:b`/],
    ['github', /on root%3Ab:/],
    ['hdf', /root:b > p/],
    ['oscal', /"title": "file#\/etc\/motd on root:b"/],
    ['html', /root:b/],
    ['sarif', /driftgate\/root:b\//],
    ['sarif-github', /root:b: /],
    ['ndjson', /"event":"resource","policy":"p","target":"root:b"/],
  ])('%s says of which target a finding is', async (format, expected) => {
    const cwd = site({ a: { 'etc/motd': 'bye\n' }, b: { 'etc/motd': 'bye\n' } })
    const { stdout } = await driftgate(['scan', 'p.yaml', ...targets('a', 'b'), '--report', format], { cwd })
    expect(stdout).toMatch(expected)
  })

  test('equal findings of two machines with one name are two for readers that drop what is the same', async () => {
    const files = { 'etc/hostname': 'golden\n', 'etc/motd': 'bye\n' }
    const cwd = site({ a: files, b: files })
    const { stdout } = await driftgate(['scan', 'p.yaml', ...targets('a', 'b'), '--report', 'gitlab'], { cwd })
    const issues = JSON.parse(stdout) as readonly { readonly fingerprint: string; readonly description: string }[]
    expect(issues.map(({ description }) => description.slice(0, 'root:a'.length))).toEqual(['root:a', 'root:b'])
    expect(new Set(issues.map(({ fingerprint }) => fingerprint)).size).toBe(2)
  })

  test('a baseline knows the drift of each by itself', async () => {
    const cwd = site({ a: { 'etc/motd': 'bye\n' }, b: {} })
    writeFileSync(join(cwd, 'base.json'), (await scan(cwd, ...targets('a', 'b'))).stdout)
    const same = await scan(cwd, ...targets('a', 'b'), '--baseline', 'base.json')
    expect([same.code, same.run.baseline?.counts]).toEqual([
      0,
      { new: 0, changed: 0, unchanged: 1, resolved: 0, incomparable: 0 },
    ])
    // The very drift that is known of one is new on the other.
    writeFileSync(join(cwd, 'a/etc/motd'), 'hello\n')
    writeFileSync(join(cwd, 'b/etc/motd'), 'bye\n')
    const moved = await scan(cwd, ...targets('a', 'b'), '--baseline', 'base.json')
    expect(validate(moved.run), JSON.stringify(validate.errors)).toBe(true)
    expect(moved.code).toBe(2)
    expect(moved.run.baseline).toMatchObject({ counts: { new: 1, resolved: 1 }, resolved: [{ target: 'root:a' }] })
  })

  test('a baseline of one machine is refused', async () => {
    const cwd = site({ a: {}, b: {} })
    writeFileSync(join(cwd, 'one.json'), (await scan(cwd, ...targets('a'))).stdout)
    const { code, stderr } = await driftgate(['scan', 'p.yaml', ...targets('a', 'b'), '--baseline', 'one.json'], {
      cwd,
    })
    expect([code, stderr]).toEqual([1, expect.stringContaining('it is a report of one host')])
  })

  test('a waiver for a host holds for the target of that name alone', async () => {
    const drifted = { 'etc/hostname': 'golden\n', 'etc/motd': 'bye\n' }
    const cwd = site({ a: drifted, b: drifted })
    const waiver = (host: string): string =>
      `waivers:\n- {id: w, resource: "file#/etc/motd", host: "${host}", reason: known, approver: Ada, expires: 2099-01-01}\n`
    writeFileSync(join(cwd, 'one.yaml'), waiver('root:a'))
    writeFileSync(join(cwd, 'both.yaml'), waiver('GOLDEN'))
    const one = await scan(cwd, ...targets('a', 'b'), '--waivers', 'one.yaml')
    expect(one.run.targets?.map(({ summary }) => [summary.waived, summary.drifted])).toEqual([
      [1, 0],
      [0, 1],
    ])
    const both = await scan(cwd, ...targets('a', 'b'), '--waivers', 'both.yaml')
    expect(both.run.targets?.map(({ summary }) => summary.waived)).toEqual([1, 1])
  })

  test('--history keeps the run of each in a directory of its own, which fleet reads', async () => {
    const cwd = site({ a: { 'etc/hostname': 'same\n' }, b: { 'etc/hostname': 'same\n', 'etc/motd': 'bye\n' } })
    const { code } = await scan(cwd, ...targets('a', 'b', 'gone'), '--history', 'runs')
    expect(code).toBe(2)
    expect(readdirSync(join(cwd, 'runs'))).toHaveLength(3)
    const fleet = await driftgate(['fleet', 'hosts', '--from', 'runs', '--format', 'json'], { cwd })
    const { hosts } = JSON.parse(fleet.stdout) as { readonly hosts: readonly { readonly name: string }[] }
    expect(hosts.map(({ name }) => name).toSorted()).toEqual(['root:a', 'root:b', 'root:gone'])
  })

  test('standard input and pre_message are given once to each', async () => {
    const cwd = site({ a: {}, b: {} })
    const text = POLICY.replace('ccm:', 'ccm:\n  pre_message: look\n')
    const outcome = await driftgate(['scan', '-', ...targets('a', 'b'), '--report', 'json'], { cwd, stdin: { text } })
    expect([outcome.code, outcome.stderr.split('\n').toSorted()]).toEqual([0, ['', 'root:a: look', 'root:b: look']])
  })

  test.each([
    [['--target', 'root:a'], /--target root:a is named more than once/],
    [['--fix', '--max-changes', '3'], /--max-changes supports one target/],
    [['--fix', '--confirm-within', '1m'], /--confirm-within supports one target/],
    [['--data=-'], /standard input can be read only once/],
    [['--parallel', '0'], /--parallel must be a number from 1 to/],
    [['--keep', '3'], /--keep requires --history/],
  ])('refuses %j', async (more, message) => {
    const { code, stderr } = await driftgate(['scan', 'p.yaml', ...targets('a', 'b'), ...more], {
      cwd: site({ a: {} }),
    })
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)])
  })

  test('a name that is a hostile text does not reach a terminal or another directory', async () => {
    const name = `x\u001b[31m..${'/'}..${'/'}y`
    const cwd = site({ a: {} })
    const { stdout, stderr } = await driftgate(['scan', 'p.yaml', ...targets('a', name), '--history', 'runs'], { cwd })
    expect(stdout + stderr).not.toContain('\u001b')
    expect(readdirSync(cwd).toSorted()).toEqual(['a', 'p.yaml', 'runs'])
    expect(readdirSync(join(cwd, 'runs'))).toHaveLength(2)
  })
})

test('validate sees the facts of a target', async () => {
  const cwd = site({ a: { 'etc/hostname': 'good' }, b: { 'etc/hostname': 'bad' } }, CHOOSY)
  const codes = ['a', 'b'].map((name) => driftgate(['validate', 'p.yaml', ...targets(name)], { cwd }))
  expect((await Promise.all(codes)).map(({ code }) => code)).toEqual([0, 1])
  const twice = await driftgate(['validate', 'p.yaml', ...targets('a', 'b')], { cwd })
  expect([twice.code, twice.stderr]).toEqual([1, expect.stringContaining('--target is given more than once')])
})
