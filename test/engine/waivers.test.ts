import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, test } from 'vitest'
import type { ResourceResult, Run } from '../../src/model/run.ts'
import type { Waiver } from '../../src/model/waiver.ts'
import { scan, type ScanOptions } from '../../src/engine/local.ts'
import { loadPolicy } from '../../src/policy/load.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { identifiedMachine } from '../support/identified.ts'

const TODAY = '2026-11-20'
const OWNER = { owner: String(process.geteuid?.()), group: String(process.getegid?.()) }

function waiver(fields: Partial<Waiver>): Waiver {
  const source = { file: 'waivers.yaml', line: 2, column: 5 }
  return { id: 'w', reason: 'known', approver: 'Ada', expires: '2026-12-31', source, ...fields }
}

interface Scene {
  readonly directory: string
  readonly file: (name: string) => string
  /** Scans a policy whose names may say `DIR`. */
  readonly scan: (policy: unknown, waivers: readonly Waiver[], options?: ScanOptions) => Promise<Run>
}

function scene(): Scene {
  const directory = temporaryDirectory()
  return {
    directory,
    file: (name) => join(directory, name),
    async scan(policy, waivers, options = {}) {
      const path = join(directory, 'p.yaml')
      const text = typeof policy === 'string' ? policy : JSON.stringify(policy)
      writeFileSync(path, text.replaceAll('DIR', directory))
      const loaded = await loadPolicy(path, { environ: {} })
      if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'))
      const located = waivers.map((each) =>
        each.resource === undefined ? each : { ...each, resource: each.resource.replace('DIR', directory) },
      )
      return scan(loaded.value, { today: TODAY, waivers: located, target: identifiedMachine(), ...options })
    },
  }
}

/** A file that should have a content and a mode. */
function managed(name: string, more: Readonly<Record<string, unknown>> = {}): unknown {
  return { file: { name: `DIR/${name}`, ensure: 'present', content: 'right', mode: '0644', ...OWNER, ...more } }
}

function policyOf(resources: readonly unknown[], more: Readonly<Record<string, unknown>> = {}): unknown {
  return { ...more, ccm: { resources } }
}

function resultsOf(run: Run): readonly ResourceResult[] {
  return run.policies.flatMap(({ resources }) => resources)
}

function write(path: string, content: string, mode: number): void {
  writeFileSync(path, content)
  chmodSync(path, mode)
}

const MODES = [false, true] as const

describe.each(MODES)('with fix: %j', (fix) => {
  test('drift that is accepted is waived, stays in the report and is left alone', async () => {
    const { scan: scanned, file } = scene()
    write(file('a'), 'right', 0o600)
    const run = await scanned(policyOf([managed('a')]), [waiver({ resource: 'file#DIR/a', property: 'mode' })], { fix })
    expect(run.exit).toEqual({ code: 0, reasons: [] })
    expect(run.summary).toMatchObject({ total: 1, waived: 1 })
    expect(resultsOf(run)).toMatchObject([
      {
        verdict: 'waived',
        message: 'accepted until the end of 2026-12-31 UTC by Ada: known (waiver w)',
        drift: [{ property: 'mode', desired: '0644', observed: '0600', waiver: 'w', fingerprint: expect.any(String) }],
        waivers: [{ id: 'w', state: 'in-force', covers: ['mode'], approver: 'Ada' }],
        actions: [],
      },
    ])
    expect(resultsOf(run)[0]).not.toHaveProperty('change')
    expect(run.waivers).toMatchObject([{ id: 'w', state: 'in-force', accepted: 1, daysLeft: 41, expiresSoon: false }])
    expect(statSync(file('a')).mode & 0o777).toBe(0o600)
  })

  test('of drift that is accepted in part nothing is changed, and the gate closes', async () => {
    const { scan: scanned, file } = scene()
    write(file('a'), 'wrong', 0o600)
    const run = await scanned(policyOf([managed('a')]), [waiver({ resource: 'file#DIR/a', property: 'mode' })], { fix })
    expect(run.exit.code).toBe(2)
    const [result] = resultsOf(run)
    expect(result).toMatchObject({
      verdict: 'drifted',
      change: 'cannot',
      changeReason: 'waiver w accepts mode, which a fix would overwrite',
    })
    expect(result?.drift.map((drift) => [drift.property, drift.waiver])).toEqual([
      ['content', undefined],
      ['mode', 'w'],
    ])
    expect(readFileSync(file('a'), 'utf8')).toBe('wrong')
  })

  test('several waivers share the drift of a resource', async () => {
    const { scan: scanned, file } = scene()
    write(file('a'), 'wrong', 0o600)
    const run = await scanned(
      policyOf([managed('a')]),
      [
        waiver({ id: 'm', resource: 'file#DIR/a', property: 'mode', expires: '2026-11-20' }),
        waiver({ id: 'c', resource: 'file#DIR/*', property: 'content', ticket: 'OPS-1' }),
      ],
      { fix },
    )
    expect(resultsOf(run)).toMatchObject([
      {
        verdict: 'waived',
        message:
          'accepted until the end of 2026-11-20 UTC by Ada: known (waiver m); ' +
          'accepted until the end of 2026-12-31 UTC by Ada: known (waiver c, OPS-1)',
      },
    ])
    expect(run.exit.code).toBe(0)
    expect(readFileSync(file('a'), 'utf8')).toBe('wrong')
  })

  test('a waived resource triggers no subscriber and blocks no dependent resource', async () => {
    const { scan: scanned, file } = scene()
    write(file('a'), 'right', 0o600)
    write(file('b'), 'right', 0o644)
    const subscriber = {
      exec: { name: '/bin/touch DIR/touched', creates: 'DIR/b', subscribe: ['file#DIR/a'] },
    }
    const run = await scanned(
      policyOf([managed('a'), managed('b', { require: ['file#DIR/a'] }), subscriber]),
      [waiver({ resource: 'file#DIR/a' })],
      { fix },
    )
    expect(resultsOf(run).map(({ verdict, actions }) => [verdict, actions])).toEqual([
      ['waived', []],
      ['compliant', []],
      ['compliant', []],
    ])
    expect(existsSync(file('touched'))).toBe(false)
  })

  test('a directory waived as missing is not provided to other resources', async () => {
    const { scan: scanned } = scene()
    const directory = { file: { name: 'DIR/d', ensure: 'directory', mode: '0755', ...OWNER } }
    const run = await scanned(policyOf([directory, managed('d/a')]), [waiver({ resource: 'file#DIR/d' })], { fix })
    expect(resultsOf(run)).toMatchObject([
      { verdict: 'waived' },
      { verdict: fix ? 'fix-failed' : 'drifted', change: 'cannot' },
    ])
  })

  test('a waiver of another machine accepts nothing', async () => {
    const { scan: scanned, file } = scene()
    write(file('a'), 'right', 0o600)
    const other = waiver({ id: 'other', resource: 'file#DIR/a', host: `not-${hostname()}` })
    const own = waiver({ id: 'own', resource: 'file#DIR/a', host: hostname().toUpperCase() })
    const waived = await scanned(policyOf([managed('a')]), [other, own], { fix })
    expect(waived.waivers?.map(({ id, accepted }) => [id, accepted])).toEqual([
      ['other', 0],
      ['own', 1],
    ])
    const [result] = resultsOf(await scanned(policyOf([managed('a')]), [other], { fix }))
    expect(result?.verdict).toBe(fix ? 'fixed' : 'drifted')
    expect(result).not.toHaveProperty('waivers')
  })
})

test.each([
  { expires: '2026-11-20', verdict: 'waived', code: 0, reasons: [] },
  {
    expires: '2026-11-19',
    verdict: 'drifted',
    code: 2,
    reasons: ['1 resource drifted at or above severity info', '1 waiver expired: w (2026-11-19)'],
  },
])('a waiver that ends on $expires: $verdict', async ({ expires, verdict, code, reasons }) => {
  const { scan: scanned, file } = scene()
  write(file('a'), 'right', 0o600)
  const run = await scanned(policyOf([managed('a')]), [waiver({ resource: 'file#DIR/a', expires })])
  expect(resultsOf(run)[0]?.verdict).toBe(verdict)
  expect(run.exit).toEqual({ code, reasons })
})

test('an expired waiver is named where its drift is, and the fix is made', async () => {
  const { scan: scanned, file } = scene()
  write(file('a'), 'right', 0o600)
  const expired = [waiver({ resource: 'file#DIR/a', expires: '2026-10-01' })]
  const audit = await scanned(policyOf([managed('a')]), expired)
  expect(resultsOf(audit)).toMatchObject([
    {
      verdict: 'drifted',
      change: 'will',
      message: 'mode: want 0644, found 0600; waiver w expired at the end of 2026-10-01 UTC',
      waivers: [{ id: 'w', state: 'expired', covers: ['mode'] }],
    },
  ])
  expect(audit.waivers).toMatchObject([{ state: 'expired', daysLeft: -50, expiresSoon: false, accepted: 0 }])
  const fix = await scanned(policyOf([managed('a')]), expired, { fix: true })
  expect(resultsOf(fix)).toMatchObject([{ verdict: 'fixed', waivers: [{ id: 'w', state: 'expired' }] }])
  expect(fix.exit).toEqual({ code: 0, reasons: [] })
  expect(statSync(file('a')).mode & 0o777).toBe(0o644)
})

test('an expired waiver whose drift another one accepts was not needed', async () => {
  const { scan: scanned, file } = scene()
  write(file('a'), 'right', 0o600)
  const run = await scanned(policyOf([managed('a')]), [
    waiver({ id: 'old', resource: 'file#DIR/a', expires: '2026-10-01' }),
    waiver({ id: 'new', resource: 'file#DIR/a' }),
  ])
  expect(resultsOf(run)).toMatchObject([
    { verdict: 'waived', drift: [{ waiver: 'new' }], waivers: [{ state: 'expired' }, { state: 'in-force' }] },
  ])
  expect(run.exit).toEqual({ code: 0, reasons: [] })
})

test('an expired waiver of drift below the threshold is said and does not close the gate', async () => {
  const { scan: scanned, file } = scene()
  write(file('a'), 'right', 0o600)
  const expired = [waiver({ resource: 'file#DIR/a', expires: '2026-10-01' })]
  const run = await scanned(policyOf([managed('a')]), expired, { failOn: 'high' })
  expect(run.exit).toEqual({
    code: 0,
    reasons: ['1 resource drifted below severity high', '1 waiver expired: w (2026-10-01)'],
  })
})

test('a waiver lapses when what it accepts is something else now', async () => {
  const { scan: scanned, file } = scene()
  write(file('a'), 'right', 0o600)
  const accepting = (value: string): Waiver => waiver({ resource: 'file#DIR/a', property: 'mode', value })
  const waived = await scanned(policyOf([managed('a')]), [accepting('0600')])
  expect(resultsOf(waived)[0]?.verdict).toBe('waived')
  const lapsed = await scanned(policyOf([managed('a')]), [accepting('0640')])
  expect(resultsOf(lapsed)).toMatchObject([
    {
      verdict: 'drifted',
      message: 'mode: want 0644, found 0600; waiver w lapsed: it accepts mode only while it is 0640',
      waivers: [{ state: 'lapsed', covers: ['mode'] }],
    },
  ])
  expect(lapsed.exit).toEqual({ code: 2, reasons: ['1 resource drifted at or above severity info'] })
})

test('the contents a waiver accepts are those with its sha256', async () => {
  const { scan: scanned, file } = scene()
  write(file('a'), 'test', 0o644)
  // printf test | sha256sum
  const value = 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
  const accepting = [waiver({ resource: 'file#DIR/a', property: 'content', value })]
  expect(resultsOf(await scanned(policyOf([managed('a')]), accepting))[0]?.verdict).toBe('waived')
  write(file('a'), 'Test', 0o644)
  expect(resultsOf(await scanned(policyOf([managed('a')]), accepting))[0]?.verdict).toBe('drifted')
})

test('a control stands for all resources that support it, below apply resources too', async () => {
  const { scan: scanned, file, directory } = scene()
  write(file('a'), 'right', 0o600)
  write(file('b'), 'right', 0o600)
  const child = JSON.stringify(policyOf([managed('b')])).replaceAll('DIR', directory)
  writeFileSync(file('child.yaml'), child)
  const policy = policyOf([managed('a'), { apply: { name: 'child.yaml' } }], {
    policy: { controls: [{ id: '9.10', resources: ['file#DIR/a', 'apply#child.yaml'] }] },
  })
  const run = await scanned(policy, [waiver({ control: '9.10' })])
  expect(resultsOf(run).map(({ id, verdict }) => [id.replace(directory, ''), verdict])).toEqual([
    ['file#/a', 'waived'],
    ['apply#child.yaml', 'waived'],
    ['file#/b', 'waived'],
  ])
  expect(run.policies[0]?.controls).toMatchObject([{ id: '9.10', verdict: 'waived' }])
  expect(run.waivers).toMatchObject([{ accepted: 2 }])
  expect(run.exit.code).toBe(0)
  const shorter = await scanned(policy, [waiver({ control: '9.1' })])
  expect(shorter.exit.code).toBe(2)
})

describe('waivers cover drift and nothing else', () => {
  test('an error is no drift', async () => {
    const { scan: scanned } = scene()
    const undecided = { exec: { name: '/bin/true', unless: '/bin/sh -c "kill -9 $$"' } }
    const run = await scanned(policyOf([undecided]), [waiver({ resource: '*#*' })], { runCommands: false })
    expect(resultsOf(run)).toMatchObject([{ verdict: 'error' }])
    expect(run.exit.code).toBe(3)
    expect(run.waivers).toMatchObject([{ accepted: 0 }])
  })

  test('a fix that failed is no drift', async () => {
    const { scan: scanned } = scene()
    const policy = policyOf([managed('missing/a')])
    const accepting = [waiver({ resource: 'file#DIR/missing/a', property: 'mode' })]
    const run = await scanned(policy, accepting, { fix: true })
    expect(resultsOf(run)).toMatchObject([{ verdict: 'fix-failed' }])
    expect(run.exit.code).toBe(4)
  })

  test('nor is an unknown health check beside it', async () => {
    const { scan: scanned, file } = scene()
    write(file('a'), 'wrong', 0o644)
    const check = { command: '/bin/sh -c "echo no idea; exit 3"', name: 'check' }
    const policy = policyOf([managed('a', { health_checks: [check] })])
    for (const fix of MODES) {
      const run = await scanned(policy, [waiver({ resource: 'file#DIR/a' })], { fix })
      expect(resultsOf(run)).toMatchObject([
        {
          verdict: 'error',
          reason: 'command',
          drift: [{ property: 'content', waiver: 'w' }],
          unknown: [{ property: 'health' }],
          message: 'health: health check check is UNKNOWN: no idea; waivers cover drift, not unknown results',
        },
      ])
      expect(run.exit.code).toBe(3)
    }
    expect(readFileSync(file('a'), 'utf8')).toBe('wrong')
  })
})

describe('health', () => {
  const critical = { command: '/bin/sh -c "echo down; exit 2"', name: 'check' }

  test.each(MODES)('that is accepted is waived where nothing else drifted, with fix: %j', async (fix) => {
    const { scan: scanned, file } = scene()
    write(file('a'), 'right', 0o644)
    const policy = policyOf([managed('a', { health_checks: [critical] })])
    const run = await scanned(policy, [waiver({ resource: 'file#DIR/a', property: 'health' })], { fix })
    expect(resultsOf(run)).toMatchObject([
      { verdict: 'waived', drift: [{ property: 'health', waiver: 'w' }], health: [{ status: 'CRITICAL' }] },
    ])
    expect(run.exit.code).toBe(0)
  })

  test('does not keep a fix from the rest, and after it counts', async () => {
    const { scan: scanned, file } = scene()
    write(file('a'), 'wrong', 0o644)
    const policy = policyOf([managed('a', { health_checks: [critical] })])
    const accepting = [waiver({ resource: 'file#DIR/a', property: 'health' })]
    const audit = await scanned(policy, accepting)
    expect(resultsOf(audit)).toMatchObject([{ verdict: 'drifted', change: 'will' }])
    const fix = await scanned(policy, accepting, { fix: true })
    expect(resultsOf(fix)).toMatchObject([{ verdict: 'fix-failed' }])
    expect(readFileSync(file('a'), 'utf8')).toBe('right')
  })

  test.each([
    { exit: 2, verdict: 'drifted', code: 2 },
    { exit: 3, verdict: 'error', code: 3 },
  ])('of an apply resource is not waived with what is below it: exit code $exit', async ({ exit, verdict, code }) => {
    const { scan: scanned, file, directory } = scene()
    write(file('b'), 'wrong', 0o644)
    writeFileSync(file('child.yaml'), JSON.stringify(policyOf([managed('b')])).replaceAll('DIR', directory))
    const check = { command: `/bin/sh -c "exit ${exit}"`, name: 'check' }
    const policy = policyOf([{ apply: { name: 'child.yaml', health_checks: [check] } }])
    const run = await scanned(policy, [waiver({ resource: 'file#DIR/b' })])
    expect(resultsOf(run)).toMatchObject([{ verdict }, { verdict: 'waived' }])
    expect(run.exit.code).toBe(code)
  })
})

test('drift of a secret is accepted by its digest', async () => {
  const { scan: scanned, file } = scene()
  write(file('a'), 'wrong', 0o644)
  const policy = policyOf([managed('a', { sensitive: true })])
  const [first] = resultsOf(await scanned(policy, []))
  const observed = first?.drift[0]?.observed
  if (typeof observed !== 'object' || observed === null || !('digest' in observed)) throw new Error('not redacted')
  const accepting = waiver({ resource: 'file#DIR/a', property: 'content', value: observed.digest })
  expect(resultsOf(await scanned(policy, [accepting]))).toMatchObject([{ verdict: 'waived' }])
})

test('a waiver shows no secret, and names with one in them still match', async () => {
  const { scan: scanned, file } = scene()
  write(file('hunter2hunter2'), 'right', 0o600)
  const data = '# @sensitive\n  password: hunter2hunter2'
  const policy = `data:\n  ${data}\nccm:\n  resources: [${JSON.stringify(managed('hunter2hunter2'))}]\n`
  const run = await scanned(policy, [
    waiver({ resource: 'file#DIR/hunter2hunter2', reason: 'hunter2hunter2 is old', ticket: 'hunter2hunter2' }),
  ])
  expect(resultsOf(run)).toMatchObject([{ verdict: 'waived' }])
  expect(JSON.stringify(run.waivers)).toContain('(secret) is old')
  expect(JSON.stringify(run)).not.toContain('hunter2')
})

test('without waivers nothing is said of them', async () => {
  const { directory, scan: scanned } = scene()
  expect(await scanned(policyOf([managed('a')]), [])).toMatchObject({ waivers: [] })
  const loaded = await loadPolicy(join(directory, 'p.yaml'), { environ: {} })
  expect(await scan(loaded.ok ? loaded.value : [])).not.toHaveProperty('waivers')
})

test('without other orders a waiver is told of from two weeks before its end on', async () => {
  const { scan: scanned } = scene()
  const ends = ['2026-12-04', '2026-12-05'].map((expires) => waiver({ id: expires, resource: 'file#DIR/a', expires }))
  const { waivers } = await scanned(policyOf([managed('a')]), ends)
  expect(waivers?.map(({ daysLeft, expiresSoon }) => [daysLeft, expiresSoon])).toEqual([
    [14, true],
    [15, false],
  ])
})
