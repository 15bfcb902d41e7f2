import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import type { SavedPlan } from '../../src/model/saved-plan.ts'
import { driftgate } from '../support/command-line.ts'
import { type Outcome, ownFile, temporaryDirectory, writePolicy } from '../support/driftgate.ts'

const [one, two, three] = ['one', 'two', 'three'].map((word) => ownFile({ content: `${word}\n` }))

interface Site {
  readonly at: (name: string) => string
  readonly write: (files: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>) => void
  readonly run: (...args: readonly string[]) => Promise<Outcome>
  readonly plan: (...args: readonly string[]) => Promise<SavedPlan>
  readonly fix: (...args: readonly string[]) => Promise<{ readonly code: number | null; readonly run: Run }>
}

/** A directory with a policy about files in it. */
function makeSite(): Site {
  const cwd = temporaryDirectory()
  const at = (name: string): string => join(cwd, name)
  const run: Site['run'] = (...args) => driftgate(args, { cwd })
  return {
    at,
    run,
    write(files) {
      const list = Object.entries(files).map(([name, properties]) => ({ name: at(name), ...properties }))
      writePolicy(at('site.json'), list, { id: 'site' })
    },
    async plan(...args) {
      const { code, stderr } = await run('scan', 'site.json', '--save-plan', 'plan.json', '--quiet', ...args)
      expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
      return JSON.parse(readFileSync(at('plan.json'), 'utf8')) as SavedPlan
    },
    async fix(...args) {
      const { code, stdout } = await run(
        'scan',
        'site.json',
        '--fix',
        '--plan',
        'plan.json',
        '--report',
        'json',
        ...args,
      )
      return { code, run: JSON.parse(stdout) as Run }
    },
  }
}

function verdictsOf({ policies }: Run): readonly string[] {
  return policies.flatMap(({ resources }) => resources.map(({ verdict }) => verdict))
}

function resultOf({ policies }: Run, id: string): Run['policies'][number]['resources'][number] | undefined {
  return policies.flatMap(({ resources }) => resources).find((result) => result.id === id)
}

test('a plan is a file of its schema that only its owner reads, and a fix carries it out', async () => {
  const site = makeSite()
  site.write({ one, two })
  const plan = await site.plan()
  expect(statSync(site.at('plan.json')).mode & 0o777).toBe(0o600)
  expect(plan.changes.map(({ policy, id }) => [policy, id])).toEqual([
    ['site', `file#${site.at('one')}`],
    ['site', `file#${site.at('two')}`],
  ])
  const schemaOf = (name: string): object =>
    JSON.parse(readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8')) as object
  const ajv = new Ajv2020({ allowUnionTypes: true }).addSchema(schemaOf('report'))
  expect([ajv.validate(schemaOf('plan'), plan), ajv.errors]).toEqual([true, null])
  expect([existsSync(site.at('one')), existsSync(site.at('two'))]).toEqual([false, false])

  const { code, run } = await site.fix()
  expect({ code, verdicts: verdictsOf(run), problems: run.problems }).toEqual({
    code: 0,
    verdicts: ['fixed', 'fixed'],
    problems: undefined,
  })
  expect(readFileSync(site.at('one'), 'utf8')).toBe('one\n')
})

test('a plan says what will be then, and what comes out otherwise is a warning', async () => {
  const site = makeSite()
  site.write({
    one: { ...one, mode: '0600' },
    two: ownFile({ content: `{{ Resources["file#${site.at('one')}"].mode }}` }),
  })
  writeFileSync(site.at('two'), '0644', { mode: 0o644 })
  writeFileSync(site.at('one'), 'one\n', { mode: 0o644 })
  const plan = await site.plan()
  expect(plan.expected).toEqual([
    { policy: 'site', id: `file#${site.at('one')}`, verdict: 'compliant' },
    {
      policy: 'site',
      id: `file#${site.at('two')}`,
      verdict: 'drifted',
      message: expect.stringContaining('content: want ') as string,
    },
  ])
  const { stdout } = await site.run('show', 'plan.json')
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`file#${site.at('two')}: will be drifted then: content: want `)
  // Something that the plan knows nothing of brings it about all the same.
  writeFileSync(site.at('two'), '0600', { mode: 0o644 })
  const { code, run } = await site.fix()
  expect({ code, verdicts: verdictsOf(run) }).toEqual({ code: 0, verdicts: ['fixed', 'compliant'] })
  expect(run.problems).toEqual([
    {
      severity: 'warning',
      message: `file#${site.at('two')}: the plan expected drifted after the fix, but it is compliant`,
    },
  ])
})

test('a fix that a later one undoes does not pass for done', async () => {
  const site = makeSite()
  const undoing = { exec: { name: `/bin/chmod 0666 ${site.at('one')}` } }
  const resources = [{ file: { name: site.at('one'), ...one } }, undoing]
  writeFileSync(site.at('site.json'), JSON.stringify({ policy: { id: 'site' }, ccm: { resources } }))
  await site.plan()
  const { code, run } = await site.fix()
  expect({ code, verdicts: verdictsOf(run) }).toEqual({ code: 4, verdicts: ['fix-failed', 'fixed'] })
  expect(run.exit.reasons[0]).toBe('1 resource failed to fix')
})

test('a plan is shown in the formats of reports', async () => {
  const site = makeSite()
  const { owner, group } = ownFile({})
  site.write({ dir: { ensure: 'directory', owner, group, mode: '0755' }, 'dir/one': one })
  await site.plan()
  const text = await site.run('show', 'plan.json')
  expect({ code: text.code, stderr: text.stderr }).toEqual({ code: 0, stderr: '' })
  expect(text.stdout).toContain('would create the directory')
  expect(text.stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /plan of \S+ for \S+, 2 changes, 1 depending on an earlier one: driftgate scan POLICY --fix --plan plan.json/,
  )
  for (const format of ['markdown', 'html', 'json']) {
    const { code, stdout } = await site.run('show', 'plan.json', '--report', format)
    expect({ format, code, isShown: stdout.includes('plan of') }).toEqual({
      format,
      code: 0,
      isShown: true,
    })
  }
  expect(await site.run('show', 'site.json')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('cannot use the plan site.json: it has no schema') as string,
  })
})

test('a change since the plan is refused with both values, its dependents are blocked, the rest is fixed', async () => {
  const site = makeSite()
  site.write({ one, two: { ...two, require: [`file#${site.at('one')}`] }, three })
  writeFileSync(site.at('one'), 'one\n')
  chmodSync(site.at('one'), 0o600)
  await site.plan()
  chmodSync(site.at('one'), 0o666)

  const { code, run } = await site.fix()
  expect({ code, verdicts: verdictsOf(run) }).toEqual({ code: 4, verdicts: ['fix-failed', 'blocked', 'fixed'] })
  expect(resultOf(run, `file#${site.at('one')}`)).toMatchObject({
    change: 'cannot',
    message: 'changed since the plan: mode: found 0600 then and 0666 now',
  })
  expect(statSync(site.at('one')).mode & 0o777).toBe(0o666)
})

test('a resource that is not in the plan is not changed', async () => {
  const site = makeSite()
  writeFileSync(site.at('two'), 'two\n', { mode: 0o644 })
  site.write({ one, two })
  const { changes } = await site.plan()
  expect(changes).toHaveLength(1)
  writeFileSync(site.at('two'), 'other\n')
  site.write({ one, two, three })

  const { code, run } = await site.fix()
  expect({ code, verdicts: verdictsOf(run) }).toEqual({ code: 2, verdicts: ['fixed', 'drifted', 'drifted'] })
  for (const name of ['two', 'three']) {
    expect(resultOf(run, `file#${site.at(name)}`)).toMatchObject({
      change: 'cannot',
      changeReason: 'it is not in the plan',
    })
  }
  expect([readFileSync(site.at('two'), 'utf8'), existsSync(site.at('three'))]).toEqual(['other\n', false])
  expect(run.problems?.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^policy site differs from the plan, sha256 [0-9a-f]{64} then and [0-9a-f]{64} now/),
    expect.stringMatching(/^file#.*two: the plan expected compliant after the fix, but it is drifted: content: /),
  ])
})

test('a resource that policy or data have changed is refused, and no other', async () => {
  const site = makeSite()
  const templated = ownFile({ content: '{{ lookup("data.word") }}\n' })
  const write = (mode: string): void => site.write({ one: templated, two: { ...two, mode }, three })
  write('0644')
  await site.plan('--set', 'word=first')
  write('0640')
  const { code, run } = await site.fix('--set', 'word=second')
  expect({ code, verdicts: verdictsOf(run) }).toEqual({ code: 4, verdicts: ['fix-failed', 'fix-failed', 'fixed'] })
  expect(resultOf(run, `file#${site.at('one')}`)?.message).toMatch(
    /^changed since the plan: its desired state \([0-9a-f]{32} then, [0-9a-f]{32} now\)$/,
  )
  expect(resultOf(run, `file#${site.at('two')}`)?.message).toContain('its definition in the policy')
  expect(run.problems?.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^inputs of the policies differ from the plan: --set \([0-9a-f]+\) then, --set \(/),
  )
})

test('a resource that an earlier change makes possible is assumed, and fixed', async () => {
  const site = makeSite()
  const { owner, group } = ownFile({})
  site.write({ dir: { ensure: 'directory', owner, group, mode: '0755' }, 'dir/one': one })
  const { changes } = await site.plan()
  expect(changes.map(({ assumed }) => assumed)).toEqual([undefined, expect.stringContaining('an earlier fix provides')])
  const { code, run } = await site.fix()
  expect({ code, verdicts: verdictsOf(run) }).toEqual({ code: 0, verdicts: ['fixed', 'fixed'] })
})

test('a plan holds no secret, and a secret that changed is refused without being shown', async () => {
  const site = makeSite()
  site.write({ token: ownFile({ content: 'hunter22', sensitive: true }) })
  writeFileSync(site.at('token'), 'hunter21', { mode: 0o644 })
  await site.plan()
  expect(readFileSync(site.at('plan.json'), 'utf8')).not.toContain('hunter2')
  writeFileSync(site.at('token'), 'hunter23')
  const { code, run } = await site.fix()
  expect({ code, verdicts: verdictsOf(run) }).toEqual({ code: 4, verdicts: ['fix-failed'] })
  expect(resultOf(run, `file#${site.at('token')}`)?.message).toMatch(
    /^changed since the plan: content: found \(secret, digest [0-9a-f]{12}\) then and \(secret, digest [0-9a-f]{12}\) now$/,
  )
})

test('a resource that complies already is left alone and reported', async () => {
  const site = makeSite()
  site.write({ one, two })
  await site.plan()
  writeFileSync(site.at('one'), 'one\n', { mode: 0o644 })
  const { code, run } = await site.fix()
  expect({ code, verdicts: verdictsOf(run) }).toEqual({ code: 0, verdicts: ['compliant', 'fixed'] })
  expect(run.problems?.map(({ message }) => message)).toEqual([
    `file#${site.at('one')}: the plan would change it, but it was already compliant`,
  ])
})

test('a plan that is too old, of another machine, or no plan is refused, and so is wrong use', async () => {
  const site = makeSite()
  site.write({ one })
  const plan = await site.plan()
  const refusal = async (...args: readonly string[]): Promise<string> => {
    const { code, stderr } = await site.run('scan', 'site.json', '--fix', '--plan', 'plan.json', ...args)
    expect({ code, isThere: existsSync(site.at('one')) }).toEqual({ code: 1, isThere: false })
    return stderr
  }
  const save = (changed: object): void => writeFileSync(site.at('plan.json'), JSON.stringify({ ...plan, ...changed }))
  const startedAt = (hoursAgo: number): object => {
    const { audit } = plan
    const time = new Date(Date.now() - hoursAgo * 3_600_000).toISOString()
    return { audit: { ...audit, run: { ...audit.run, startedAt: time } } }
  }
  save(startedAt(25))
  expect(await refusal()).toMatch(/^driftgate: cannot apply the plan plan.json: it was made at .*, more than 24h ago/)
  save(startedAt(3))
  expect(await refusal('--plan-max-age', '2h')).toContain('more than 2h ago')
  save(startedAt(-1))
  expect(await refusal()).toContain('check the clocks')
  save({ host: '0'.repeat(32) })
  expect(await refusal()).toContain('it was made for another host')
  save({ schema: 'other' })
  expect(await refusal()).toContain('cannot use the plan plan.json: it says "schema": "other"')
  save({ changes: [{}] })
  expect(await refusal()).toContain("it is not a valid plan: changes/0 must have required property 'policy'")
  writeFileSync(site.at('plan.json'), '{')
  expect(await refusal()).toContain('it is not JSON')

  const wrong = async (...args: readonly string[]): Promise<string> =>
    (await site.run('scan', 'site.json', ...args)).stderr
  expect(await wrong('--plan', 'plan.json')).toContain('--plan requires --fix')
  expect(await wrong('--save-plan', 'p.json', '--fix')).toContain('conflicts with --fix')
  expect(await wrong('--save-plan', 'p.json', '--wait', '1s')).toContain('conflicts with --wait and --monitor-only')
})
