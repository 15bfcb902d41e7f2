import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ResourceResult, Run } from '../../src/model/run.ts'
import { driftgate } from '../support/command-line.ts'
import { type Outcome, ownFile, temporaryDirectory, UNPRIVILEGED, writePolicy } from '../support/driftgate.ts'

// What waivers of InSpec do that they should not, found in its source and in the issues named here, shown not to be so
// with the command line as people run it.

const DAY_MS = 86_400_000

/** The day in UTC so many days from now. */
function day(fromNow: number): string {
  return new Date(Date.now() + fromNow * DAY_MS).toISOString().slice(0, 10)
}

interface Scan extends Outcome {
  readonly run: Run
  readonly results: readonly ResourceResult[]
}

interface Scene {
  readonly cwd: string
  readonly file: (name: string) => string
  readonly scan: (waivers: string, ...options: readonly string[]) => Promise<Scan>
  /** The same where nothing can be scanned. */
  readonly refused: (waivers: string, ...options: readonly string[]) => Promise<string>
}

/** Files whose mode is wrong, each supported by the control of its name. */
function scene(...names: readonly string[]): Scene {
  const cwd = temporaryDirectory(UNPRIVILEGED)
  const file = (name: string): string => join(cwd, name)
  for (const name of names) {
    writeFileSync(file(name), '')
    chmodSync(file(name), 0o600)
  }
  const controls = names.map((name) => ({ id: name, resources: [`file#${file(name)}`] }))
  writePolicy(
    file('p.yaml'),
    names.map((name) => ownFile({ name: file(name), content: '', mode: '0644', access: 'any' })),
    { controls },
  )
  const scan = (waivers: string, options: readonly string[]): Promise<Outcome> => {
    writeFileSync(file('w.yaml'), waivers)
    return driftgate(['scan', 'p.yaml', '--waivers', 'w.yaml', '--report', 'json', ...options], { cwd })
  }
  return {
    cwd,
    file,
    async scan(waivers, ...options) {
      const outcome = await scan(waivers, options)
      const run: Run = JSON.parse(outcome.stdout)
      return { ...outcome, run, results: run.policies.flatMap(({ resources }) => resources) }
    },
    async refused(waivers, ...options) {
      const { code, stdout, stderr } = await scan(waivers, options)
      expect(code).toBe(1)
      const run: Run = JSON.parse(stdout)
      expect(run).toMatchObject({ policies: [], exit: { code: 1 } })
      expect(run.problems?.length).toBeGreaterThan(0)
      return stderr
    },
  }
}

function waiverOf(control: string, ...lines: readonly string[]): string {
  const all = [`control: ${control}`, 'reason: known', 'approver: Ada', ...lines]
  return `waivers:\n  - id: w\n${all.map((line) => `    ${line}\n`).join('')}`
}

test('the exit code knows waivers (inspec#4886: 100 although all that failed is waived)', async () => {
  const { code, run, results } = await scene('a').scan(waiverOf('a', `expires: ${day(30)}`))
  expect(code).toBe(0)
  expect(run.exit).toEqual({ code: 0, reasons: [] })
  expect(results).toMatchObject([{ verdict: 'waived' }])
})

describe('an expired waiver', () => {
  test('does not work any more (--filter-waived-controls does not look at dates)', async () => {
    const { code, run } = await scene('a').scan(waiverOf('a', `expires: ${day(-2)}`))
    expect(code).toBe(2)
    expect(run.exit.reasons).toContain(`1 waiver expired: w (${day(-2)})`)
  })

  test('is never shown as waived (chef/automate#4342)', async () => {
    const { cwd, scan } = scene('a')
    const { results, run } = await scan(waiverOf('a', `expires: ${day(-2)}`))
    expect(results).toMatchObject([{ verdict: 'drifted', waivers: [{ id: 'w', state: 'expired' }] }])
    expect(results[0]?.drift[0]).not.toHaveProperty('waiver')
    expect(run.waivers).toMatchObject([{ id: 'w', state: 'expired', accepted: 0 }])
    for (const format of ['text', 'junit', 'plan']) {
      const { stdout } = await driftgate(['scan', 'p.yaml', '--waivers', 'w.yaml', '--report', format], { cwd })
      expect(stdout).toContain('expired')
      expect(stdout).not.toMatch(/waived/i)
    }
  })
})

test('a name is no part of another one (waiving cis-1.1 drops cis-1.1.1, too)', async () => {
  const { code, results } = await scene('ssh-1.1', 'ssh-1.1.1', 'ssh-1x1').scan(
    waiverOf('ssh-1.1', `expires: ${day(30)}`),
  )
  expect(code).toBe(2)
  expect(results.map(({ controls: [id], verdict }) => [id, verdict])).toEqual([
    ['ssh-1.1', 'waived'],
    ['ssh-1.1.1', 'drifted'],
    ['ssh-1x1', 'drifted'],
  ])
})

test.each(['9.10', '9.1', '1e3', '010'])(
  'the id %s stays what it is (inspec#4886: 9.10 is read as 9.1)',
  async (id) => {
    const { results } = await scene('9.10', '9.1', '1e3', '1000', '010', '8').scan(waiverOf(id, `expires: ${day(30)}`))
    const waived = results.filter(({ verdict }) => verdict === 'waived').flatMap(({ controls }) => controls)
    expect(waived).toEqual([id])
  },
)

describe('dates', () => {
  test('there are no permanent waivers (a waiver without a date never ends)', async () => {
    const stderr = await scene('a').refused(waiverOf('a'))
    expect(stderr).toContain('w.yaml:2:5 waiver "w" has no expires')
  })

  test('a limit keeps others from being as good as permanent', async () => {
    const stderr = await scene('a').refused(waiverOf('a', 'expires: 9999-12-31'), '--max-waiver-days', '90')
    expect(stderr).toMatch(/^w\.yaml:6:14 waiver "w" is for \d+ days from .* on, the limit is 90/m)
  })

  test('an invalid date is reported with its place, along with all other errors (the run is aborted)', async () => {
    const second = waiverOf('a', 'expires: 31/12/2026').replace('waivers:\n', '').replace('id: w', 'id: v')
    const stderr = await scene('a').refused(waiverOf('a', 'expires: 2026-02-30') + second)
    expect(stderr).toContain('w.yaml:6:14 expires cannot be "2026-02-30": February 2026 has 28 days')
    expect(stderr).toContain('  6 |     expires: 2026-02-30\n    |              ^\n')
    expect(stderr).toContain('w.yaml:11:14 expires cannot be "31/12/2026": a date is written as 2026-12-31')
  })

  test('a date in this year is that date (inspec#5570: it was read as the 1st of January)', async () => {
    const { results, run } = await scene('a').scan(waiverOf('a', `expires: ${day(1)}`))
    expect(results).toMatchObject([{ verdict: 'waived', waivers: [{ expires: day(1) }] }])
    expect(run.waivers).toMatchObject([{ expires: day(1), daysLeft: 1, expiresSoon: true }])
  })
})

describe('keys', () => {
  test.each([
    ['expirse: 2026-12-31', 'unknown key "expirse", did you mean "expires"?'],
    ['expiration_date: 2026-12-31', 'unknown key "expiration_date": its last day is "expires"'],
    ['justification: known', 'unknown key "justification": the justification is its "reason"'],
  ])('%s is refused (unknown keys are only warned of, and their waiver works)', async (line, message) => {
    const stderr = await scene('a').refused(waiverOf('a', `expires: ${day(30)}`, line))
    expect(stderr).toContain(`w.yaml:7:5 ${message}`)
  })

  test('there is no run: false, which hides what a machine is like', async () => {
    const stderr = await scene('a').refused(waiverOf('a', `expires: ${day(30)}`, 'run: false'))
    expect(stderr).toContain('w.yaml:7:5 unknown key "run": waived resources are always evaluated')
  })

  test.each(['reason', 'approver'])('a waiver without %s is rejected (no approver is required)', async (key) => {
    const text = waiverOf('a', `expires: ${day(30)}`).replace(new RegExp(`^ +${key}:.*\n`, 'm'), '')
    expect(await scene('a').refused(text)).toContain(`waiver "w" has no ${key}`)
  })
})

test('a waived control is evaluated, and its drift stays in the report (run: false skips it)', async () => {
  const { results } = await scene('a').scan(waiverOf('a', `expires: ${day(30)}`))
  expect(results).toMatchObject([
    { drift: [{ property: 'mode', desired: '0644', observed: '0600', waiver: 'w' }], waivers: [{ reason: 'known' }] },
  ])
})

test('an error is never waived, and no waiver hides one (inspec#6588: what an error does to a waiver was open)', async () => {
  const { cwd, file, scan } = scene('a')
  writeFileSync(
    file('p.yaml'),
    JSON.stringify({
      policy: { controls: [{ id: 'a', resources: ['exec#/bin/true'] }] },
      ccm: { resources: [{ exec: { name: '/bin/true', unless: '/bin/false' } }] },
    }),
  )
  const { code, results, run } = await scan(waiverOf('a', `expires: ${day(30)}`), '--no-commands')
  expect(code).toBe(3)
  expect(results).toMatchObject([{ verdict: 'error' }])
  expect(run.waivers).toMatchObject([{ accepted: 0 }])
  expect(cwd).not.toBe('')
})

describe('scope (a waiver is for a control as a whole, on every machine)', () => {
  test('one property of one resource', async () => {
    const { cwd, file, scan } = scene('a', 'b')
    writeFileSync(file('a'), 'other')
    const scope = `resource: file#${file('a')}\n    property: mode`
    const text = waiverOf('a', `expires: ${day(30)}`).replace('control: a', scope)
    const { code, results } = await scan(text)
    expect(code).toBe(2)
    expect(results.map(({ id, drift }) => [id.replace(cwd, ''), drift.map(({ waiver }) => waiver)])).toEqual([
      ['file#/a', [undefined, 'w']],
      ['file#/b', [undefined]],
    ])
  })

  test('one machine', async () => {
    const { code } = await scene('a').scan(waiverOf('a', `expires: ${day(30)}`, 'host: another-machine'))
    expect(code).toBe(2)
  })

  test('one value: with another one the waiver lapses', async () => {
    const { file, scan } = scene('a')
    const text = waiverOf('a', `expires: ${day(30)}`, 'property: mode', 'value: 0600')
    expect((await scan(text)).code).toBe(0)
    chmodSync(file('a'), 0o666)
    const { code, results } = await scan(text)
    expect(code).toBe(2)
    expect(results).toMatchObject([{ verdict: 'drifted', waivers: [{ id: 'w', state: 'lapsed' }] }])
  })
})

test('unused waivers and those that expire soon are reported (stale waivers are not reported)', async () => {
  const { cwd, scan } = scene('a')
  const unused = waiverOf('b', `expires: ${day(30)}`)
    .replace('waivers:\n', '')
    .replace('id: w', 'id: unused')
  const { run } = await scan(waiverOf('a', `expires: ${day(5)}`) + unused)
  expect(run.waivers).toMatchObject([
    { id: 'w', expiresSoon: true, accepted: 1 },
    { id: 'unused', expiresSoon: false, accepted: 0 },
  ])
  const args = ['scan', 'p.yaml', '--waivers', 'w.yaml']
  const { stdout } = await driftgate(args, { cwd })
  expect(stdout).toMatch(/^ {2}expires soon {2}w .*5 days left, Ada {2}w\.yaml:2$/m)
  expect(stdout).toMatch(/^ {2}unused {8}unused {2}nothing that was evaluated supports b {2}w\.yaml:7$/m)
  const later = await driftgate([...args, '--warn-days', '3'], { cwd })
  expect(later.stdout).not.toContain('expires soon')
})

test('a fix leaves what is waived alone', async () => {
  const { file, scan } = scene('a', 'b')
  const { code, results } = await scan(waiverOf('a', `expires: ${day(30)}`), '--fix')
  expect(code).toBe(0)
  expect(results.map(({ verdict }) => verdict)).toEqual(['waived', 'fixed'])
  const { stdout } = await driftgate(['scan', 'p.yaml', '--quiet'], { cwd: file('') })
  expect(stdout).toContain('1 drifted')
  expect(readFileSync(file('a'), 'utf8')).toBe('')
})
