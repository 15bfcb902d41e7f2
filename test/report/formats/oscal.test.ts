import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ControlResult, ResourceResult, Run } from '../../../src/model/run.ts'
import { mergeRuns } from '../../../src/model/findings/merge.ts'
import { controlIdOf, tokenOf, uuidOf } from '../../../src/report/formats/oscal/identifiers.ts'
import { renderReport } from '../../../src/report/index.ts'
import { arbitraryRun } from '../../support/arbitrary-run.ts'
import { type ReadFinding, readOscal } from '../../support/oscal.ts'
import { controlResult, policyResult, resourceResult, runOf } from '../../support/run.ts'
import { auditRun, emptyRun, interruptedRun, invalidRun } from '../../support/sample-runs.ts'

async function read(run: Run): Promise<readonly ReadFinding[]> {
  return readOscal(await renderReport(run, 'oscal'))
}

function runWith(fields: Partial<ResourceResult>, control: Partial<ControlResult> = {}): Run {
  const result = resourceResult({ controls: ['base-01'], ...fields })
  const controls = [controlResult({ verdict: result.verdict, ...control })]
  return runOf({ policies: [policyResult({ resources: [result], controls })] })
}

const drift = [{ property: 'mode', desired: '0600', observed: '0644' }]
const terms = { id: 'w1', reason: 'replaced in May', approver: 'ops', expires: '2026-12-31', covers: ['mode'] }
const unknown = [{ property: 'group', reason: 'permission-denied', detail: 'd' }] as const

test.each<readonly [string, Partial<ResourceResult>, string, readonly string[]]>([
  ['a compliant resource', {}, 'satisfied/pass', []],
  ['a fixed resource', { verdict: 'fixed', drift }, 'satisfied/pass', ['closed']],
  ['a partly fixed resource', { verdict: 'fixed', drift, unknown }, 'not-satisfied/other', ['closed']],
  ['drift', { verdict: 'drifted', drift }, 'not-satisfied/fail', ['open']],
  [
    'known drift',
    { verdict: 'drifted', drift: [{ ...drift[0], baseline: 'unchanged' }] as never },
    'not-satisfied/fail',
    ['open'],
  ],
  ['a failed fix', { verdict: 'fix-failed', drift, remaining: drift }, 'not-satisfied/fail', ['remediating']],
  ['a waived resource', { verdict: 'waived', drift }, 'not-satisfied/fail', ['deviation-approved']],
  ['an error', { verdict: 'error', reason: 'timeout', message: 'too slow' }, 'not-satisfied/other', []],
  ['a blocked resource', { verdict: 'blocked', message: 'm' }, 'not-satisfied/other', []],
])('%s is shown as such', async (_case, fields, status, risks) => {
  const [finding, ...others] = await read(runWith(fields))
  expect(others).toEqual([])
  expect(finding?.target).toBe('base_base-01_obj')
  expect(`${finding?.state}/${finding?.reason}`).toBe(status)
  expect(finding?.risks).toEqual(risks)
})

test('a not applicable resource is an observation and no finding', async () => {
  const document = await renderReport(runWith({ verdict: 'not-applicable', message: 'no SSH here' }), 'oscal')
  expect(readOscal(document)).toEqual([])
  expect(document).toContain('no SSH here')
})

test.each<readonly [string, Partial<ControlResult>]>([
  ['a person has to look at', { verdict: 'not-evaluated' }],
  ['was not looked at as a whole', { resources: ['file#/etc/motd', 'file#/etc/issue'] }],
])('a control that %s is not satisfied', async (_case, control) => {
  expect(await read(runWith({}, control))).toMatchObject([{ state: 'not-satisfied', reason: 'other', risks: [] }])
})

test('a waiver is told with its terms and its last second', async () => {
  const waived = [{ property: 'mode', desired: '0600', observed: '0644', waiver: 'w1' }]
  const waivers = [{ ...terms, state: 'in-force' as const }]
  const document = await renderReport(runWith({ verdict: 'waived', drift: waived, waivers }), 'oscal')
  const { risks } = JSON.parse(document)['assessment-results'].results[0]
  expect(risks).toMatchObject([{ status: 'deviation-approved', deadline: '2026-12-31T23:59:59Z' }])
  expect(JSON.stringify(risks)).toContain('w1: until 2026-12-31 by ops: replaced in May')
})

test('evidence has both values, and of a secret its digest alone', async () => {
  const secret = { property: 'password', desired: { redacted: true, digest: 'aa' }, observed: null } as const
  const document = await renderReport(runWith({ verdict: 'drifted', drift: [...drift, secret] }), 'oscal')
  const [observation] = JSON.parse(document)['assessment-results'].results[0].observations
  const values = observation['relevant-evidence'].map(({ props }: { props: readonly { value: string }[] }) =>
    props.slice(0, 3).map(({ value }) => value),
  )
  expect(values).toEqual([
    ['mode', '0600', '0644'],
    ['password', '(secret, digest aa)', 'nothing'],
  ])
})

test('catalogues are named after the prefix of their controls', async () => {
  const references = { 'nist-800-53': ['AC-3', 'AC-2(1)'], 'cis-debian-12': ['6.1.1'] }
  const document = await renderReport(runWith({}, { references }), 'oscal')
  const selections = JSON.parse(document)['assessment-results'].results[0]['reviewed-controls']['control-selections']
  const ids = selections.map((each: { 'include-controls': readonly { 'control-id': string }[] }) =>
    each['include-controls'].map((control) => control['control-id']),
  )
  expect(ids).toEqual([['base_base-01'], ['ac-3', 'ac-2.1'], ['cis-debian-12_6.1.1']])
  expect(controlIdOf('STIG', '6.1')).toBe('STIG_6.1')
})

test('each of several hosts has a result, and shared parts appear once', async () => {
  const target = { kind: 'local', hostname: 'web02', os: { id: 'debian', version: '12' } } as const
  const merged = mergeRuns([runWith({}), { ...runWith({ verdict: 'drifted', drift }), target }])
  const findings = await read(merged)
  expect(findings.map(({ host, target: id, state }) => [host, id, state])).toEqual([
    ['web01', 'base_base-01_obj', 'satisfied'],
    ['web02', 'base_base-01_obj', 'not-satisfied'],
  ])
})

test.each([
  ['that could not be performed', invalidRun],
  ['that evaluated nothing', emptyRun],
  ['that was interrupted', interruptedRun],
])('a scan %s does not satisfy', async (_case, run) => {
  expect(await read(run)).toContainEqual(
    expect.objectContaining({ target: 'driftgate_scan_obj', state: 'not-satisfied', reason: 'other' }),
  )
})

test('stable parts keep their UUID in the next run, results of a run have new ones', async () => {
  const uuids = async (id: string) => {
    const run = runWith({ verdict: 'drifted', drift })
    const document = await renderReport({ ...run, run: { ...run.run, id } }, 'oscal')
    const [result] = JSON.parse(document)['assessment-results'].results
    return {
      same: [result.risks[0].uuid, result['local-definitions']['inventory-items'][0].uuid],
      own: [result.uuid, result.observations[0].uuid, result.findings[0].uuid],
    }
  }
  const [first, again, next] = [await uuids('r1'), await uuids('r1'), await uuids('r2')]
  expect(again).toEqual(first)
  expect(next.same).toEqual(first.same)
  expect(next.own.filter((id) => first.own.includes(id))).toEqual([])
})

test('UUIDs of version 5 are those that Python makes', () => {
  // uuid.uuid5(uuid.UUID('6b9d4c1e-52f0-4a7a-b3c8-e1d07f5a2946'), '["a","ü\\"\\n",""]')
  expect(uuidOf('a', 'ü"\n', '')).toBe('e9d5b7c9-fad7-50b2-95d9-6243a316e8ca')
})

test('tokens of different words differ', () => {
  const all = [['a', 'b'], ['a_b'], ['a b'], ['a/b'], ['a', '', 'b'], ['1'], ['_1'], ['']]
  expect(new Set(all.map((words) => tokenOf(...words))).size).toBe(all.length)
})

test('every document follows the rules of the format, and no failure looks green', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryRun, async (run) => {
      const findings = await read(run)
      if (run.exit.code === 1 || run.run.interrupted) {
        expect(findings.map(({ target }) => target)).toContain('driftgate_scan_obj')
      }
    }),
    { numRuns: 60 },
  )
})

test('every requirement that applies has a finding', async () => {
  const findings = await read(auditRun)
  expect(findings.map(({ state, reason }) => `${state}/${reason}`)).toEqual([
    'not-satisfied/fail', // ssh-01 has drifted
    'not-satisfied/fail', // ssh-02 has, beside an error
    'not-satisfied/other', // ssh-10 is for a person to look at
    'not-satisfied/fail', // /etc/app has drifted
    'not-satisfied/other', // /etc/shadow- could not be read
    'not-satisfied/fail', // /etc/motd is waived; /etc/selinux/config does not apply
    'satisfied/pass',
    'satisfied/pass',
    'satisfied/pass',
    'satisfied/pass',
  ])
})

test('of several hosts, and of several runs of one, every uuid is defined once', async () => {
  const of = (hostname: string, id: string): Run => ({
    ...runOf({ target: { kind: 'local', hostname, os: { id: 'debian', version: '12' } } }),
    run: { ...runOf().run, id },
  })
  const document = await renderReport(mergeRuns([of('web01', 'r1'), of('web02', 'r2'), of('web02', 'r3')]), 'oscal')
  const defined = [...document.matchAll(/"uuid": "([^"]+)"/g)].map(([, uuid]) => uuid)
  expect(new Set(defined).size).toBe(defined.length)
  const referred = [...document.matchAll(/"(?:component|actor|subject)-uuid": "([^"]+)"/g)].map(([, uuid]) => uuid)
  expect(referred.filter((uuid) => !defined.includes(uuid))).toEqual([])
})
