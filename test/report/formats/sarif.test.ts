import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withoutRollUps } from '../../../src/model/roll-up.ts'
import type { ResourceResult, Run } from '../../../src/model/run.ts'
import { renderReport } from '../../../src/report/index.ts'
import type { SarifLog, SarifResult, SarifRun } from '../../../src/report/words/sarif-log.ts'
import { arbitraryRun } from '../../support/arbitrary-run.ts'
import { comparedRun, mergedRun, waivedRun } from '../../support/format-runs.ts'
import { controlResult, policyResult, resourceResult, runOf } from '../../support/run.ts'
import { auditRun, emptyRun, fixRun, interruptedRun, invalidRun, SAMPLE_RUNS } from '../../support/sample-runs.ts'
import { parseSarif } from '../../support/sarif.ts'
import { cases } from '../../support/soak.ts'

async function render(run: Run): Promise<SarifLog> {
  return parseSarif(await renderReport(run, 'sarif'))
}

async function onlyRun(run: Run): Promise<SarifRun> {
  const { runs } = await render(run)
  const [only] = runs
  if (only === undefined || runs.length > 1) throw new Error(`${runs.length} runs`)
  return only
}

async function resultsOf(fields: Partial<ResourceResult>): Promise<readonly SarifResult[]> {
  return (await onlyRun(runOf({ policies: [policyResult({ resources: [resourceResult(fields)] })] }))).results
}

const drift = [{ property: 'mode', desired: '0600', observed: '0644' }]

test.each<readonly [string, Partial<ResourceResult>, readonly (readonly [string, string])[]]>([
  ['compliant', { verdict: 'compliant' }, [['pass', 'none']]],
  ['drift of severity info', { verdict: 'drifted', drift, severity: 'info' }, [['fail', 'note']]],
  ['drift of severity low', { verdict: 'drifted', drift, severity: 'low' }, [['fail', 'note']]],
  ['drift of severity medium', { verdict: 'drifted', drift }, [['fail', 'warning']]],
  ['drift of severity high', { verdict: 'drifted', drift, severity: 'high' }, [['fail', 'error']]],
  ['drift of severity critical', { verdict: 'drifted', drift, severity: 'critical' }, [['fail', 'error']]],
  ['a fixed drift', { verdict: 'fixed', drift }, [['pass', 'none']]],
  ['a failed fix', { verdict: 'fix-failed', drift, remaining: drift }, [['fail', 'warning']]],
  ['an error', { verdict: 'error', reason: 'timeout' }, [['open', 'none']]],
  ['a blocked resource', { verdict: 'blocked' }, [['open', 'none']]],
  ['a not applicable resource', { verdict: 'not-applicable' }, [['notApplicable', 'none']]],
  ['a waived resource', { verdict: 'waived', drift }, [['fail', 'warning']]],
  [
    'drift beside a property that could not be read',
    { verdict: 'drifted', drift, unknown: [{ property: 'group', reason: 'timeout', detail: 'too late' }] },
    [
      ['fail', 'warning'],
      ['open', 'none'],
    ],
  ],
])('%s has its kind and level', async (_case, fields, classes) => {
  expect((await resultsOf(fields)).map(({ kind, level }) => [kind, level])).toEqual(classes)
})

test('an address among the references is where help is', async () => {
  const references = { stig: ['V-1'], site: ['no address', 'https://example.org/why not'] }
  const run = runOf({ policies: [policyResult({ controls: [controlResult({ references })] })] })
  const { rules } = (await onlyRun(run)).tool.driver
  expect(rules[0]).toMatchObject({ helpUri: 'https://example.org/why%20not' })
  const other = runOf({ policies: [policyResult({ controls: [controlResult({ references: { stig: ['V-1'] } })] })] })
  expect((await onlyRun(other)).tool.driver.rules[0]).not.toHaveProperty('helpUri')
})

test('every drift is a result of its own, with both values and the fingerprint of the drift', async () => {
  const results = await resultsOf({
    verdict: 'drifted',
    drift: [
      { property: 'owner', desired: 'root', observed: 'nobody', fingerprint: 'aa' },
      { property: 'content', path: 'a.conf', desired: 'x', observed: null, fingerprint: 'bb' },
    ],
  })
  expect(results.map(({ message, partialFingerprints }) => [message.text, partialFingerprints])).toEqual([
    ['file#/etc/motd: owner: want root, found nobody', { 'driftgateFinding/v1': 'aa' }],
    ['file#/etc/motd: content a.conf: want x, found nothing', { 'driftgateFinding/v1': 'bb' }],
  ])
  expect(results[0]?.properties).toMatchObject({ property: 'owner', desired: 'root', observed: 'nobody' })
})

test('a partly failed fix has its failed and its reached properties', async () => {
  const { results } = await onlyRun(fixRun)
  expect(results.map(({ kind, message }) => [kind, message.text])).toEqual([
    ['pass', 'file#/etc/motd: owner: fixed, was nobody, is root'],
    ['pass', 'file#/etc/motd: mode: fixed, was 0666, is 0644'],
    ['fail', 'file#/srv/data: mode: want 0750, found 0777; chmod /srv/data: operation not permitted'],
    ['pass', 'file#/srv/data: owner: fixed, was root, is www'],
  ])
})

test('rules are the controls and, without controls, the types; results point at their rules', async () => {
  const { tool, results } = await onlyRun(auditRun)
  const { rules } = tool.driver
  expect(rules.map(({ id }) => id)).toEqual([
    'ssh.hardening/ssh-01',
    'ssh.hardening/ssh-02',
    'ssh.hardening/ssh-10',
    'file',
    'service',
  ])
  for (const { ruleId, ruleIndex } of results) expect(rules[ruleIndex]?.id).toBe(ruleId)
  expect(rules[0]).toMatchObject({
    shortDescription: { text: 'The daemon is configured by root alone' },
    fullDescription: { text: 'Nobody else may read or write the configuration.' },
    help: { text: 'Remediation: Run chmod 0600 /etc/ssh/sshd_config\nnist-800-53: AC-3\ncis-debian-12: 5.1.1' },
    defaultConfiguration: { level: 'error' },
    properties: { 'security-severity': '8.0', tags: ['security', 'ssh', 'nist-800-53:AC-3', 'cis-debian-12:5.1.1'] },
  })
})

test('a resource that supports several controls belongs to the gravest', async () => {
  const controls = [
    controlResult({ id: 'a', severity: 'low' }),
    controlResult({ id: 'b', severity: 'critical' }),
    controlResult({ id: 'c', severity: 'critical' }),
  ]
  const resources = [resourceResult({ verdict: 'drifted', drift, controls: ['a', 'b', 'c'] })]
  const { results } = await onlyRun(runOf({ policies: [policyResult({ controls, resources })] }))
  expect(results.map(({ ruleId }) => ruleId)).toEqual(['base/b'])
})

test('a control of a child manifest is another than one of the same id above it', async () => {
  const path = ['apply#child.yaml']
  const controls = [controlResult({ id: 'a', title: 'above' }), controlResult({ id: 'a', path, title: 'below' })]
  const resources = [
    resourceResult({ id: 'apply#child.yaml', type: 'apply' }),
    resourceResult({ path, controls: ['a'] }),
    resourceResult({ name: '/b', controls: ['a'] }),
  ]
  const { results, tool } = await onlyRun(runOf({ policies: [policyResult({ controls, resources })] }))
  expect(results.map(({ ruleIndex }) => tool.driver.rules[ruleIndex]?.shortDescription.text)).toEqual([
    'below',
    'above',
  ])
})

test.each([
  ['policies/ssh.yaml', { uri: 'policies/ssh.yaml', uriBaseId: '%SRCROOT%' }, true],
  ['./a/../pol icy#1?.yaml', { uri: 'pol%20icy%231%3F.yaml', uriBaseId: '%SRCROOT%' }, true],
  ['ä/100%.yaml', { uri: '%C3%A4/100%25.yaml', uriBaseId: '%SRCROOT%' }, true],
  ['a:b.yaml', { uri: 'a%3Ab.yaml', uriBaseId: '%SRCROOT%' }, true],
  ['/etc/driftgate/ssh.yaml', { uri: 'file:///etc/driftgate/ssh.yaml' }, true],
  ['../secret/home/ssh.yaml', { uri: 'ssh.yaml' }, true],
  ['-', { uri: 'stdin' }, true],
  ['web.tgz!/web/policy.yaml', { uri: 'web.tgz', uriBaseId: '%SRCROOT%' }, false],
  ['https://example.com/a b/web.tgz!/policy.yaml', { uri: 'https://example.com/a%20b/web.tgz' }, false],
])('%s is where a reader finds it', async (file, artifactLocation, hasLine) => {
  const [result] = await resultsOf({ verdict: 'drifted', drift, source: { file, line: 7, column: 3 } })
  expect(result?.locations[0]?.physicalLocation).toEqual({
    artifactLocation,
    ...(hasLine ? { region: { startLine: 7, startColumn: 3 } } : {}),
  })
})

test('logical locations name the machine and the resource, with the manifests it is below', async () => {
  const [result] = await resultsOf({ path: ['apply#child.yaml'] })
  const name = 'apply#child.yaml > file#/etc/motd'
  expect(result?.locations[0]?.logicalLocations).toEqual([
    { name, fullyQualifiedName: `web01 > ${name}`, kind: 'resource' },
    { name: 'web01', fullyQualifiedName: 'web01', kind: 'host' },
  ])
})

test('waived drift is suppressed with approver, reason and date; then every result has suppressions', async () => {
  const { results } = await onlyRun(waivedRun)
  const justification = 'until 2026-12-01 by ops@example.com: legal review (SEC-7)'
  const accepted = [{ kind: 'external', status: 'accepted', justification }]
  expect(results.map(({ suppressions }) => suppressions)).toEqual([accepted, accepted, []])
  expect(results[2]?.message.text).toContain('waiver W-0 expired on 2026-11-01')
})

test('without waivers no result speaks of suppressions', async () => {
  const { results } = await onlyRun(fixRun)
  expect(results.some((result) => 'suppressions' in result)).toBe(false)
})

test('with a baseline every result has a state, and resolved drift is absent', async () => {
  const { results, baselineGuid } = await onlyRun(comparedRun)
  expect(baselineGuid).toBe('5b0b8a52-2f3b-4f0e-8c3e-0a7d7a1f2b3c')
  expect(
    results.map(({ partialFingerprints, baselineState }) => [Object.values(partialFingerprints)[0], baselineState]),
  ).toEqual([
    ['c1', 'unchanged'],
    ['c2', 'new'],
    ['c3', 'updated'],
    ['c4', 'unchanged'],
    [expect.stringMatching(/^[\da-f]{32}$/), 'unchanged'],
    ['d1', 'absent'],
    ['d2', 'absent'],
  ])
  const [resolved, gone] = results.slice(-2)
  expect(resolved?.locations[0]?.physicalLocation?.region?.startLine).toBe(14)
  expect([gone?.ruleId, gone?.level, gone?.locations[0]?.physicalLocation]).toEqual(['service', 'error', undefined])
})

test.each([
  ['an audit with drift', auditRun, true, 2],
  ['a scan that could not be performed', invalidRun, false, 1],
  ['an interrupted scan', interruptedRun, false, 130],
  ['a scan that evaluated nothing', emptyRun, false, 5],
])('%s says whether it was successful', async (_case, run, executionSuccessful, exitCode) => {
  const { invocations, results } = await onlyRun(run)
  const [invocation] = invocations
  expect(invocation).toMatchObject({
    executionSuccessful,
    exitCode,
    startTimeUtc: '2026-11-20T12:00:00.250Z',
    endTimeUtc: '2026-11-20T12:00:00.291Z',
    machine: 'web01',
  })
  const failures = results.filter(({ ruleId }) => ruleId === 'driftgate/scan')
  expect(failures.map(({ kind, level }) => [kind, level])).toEqual(executionSuccessful ? [] : [['fail', 'error']])
  const [first] = invocation?.toolExecutionNotifications ?? []
  expect(first?.level).toBe('error')
})

test('a control that is called like the rule of the scan, or like another one, has a rule of its own', async () => {
  const of = (policy: string, id: string): Run['policies'][number] => {
    const resource = resourceResult({ verdict: 'drifted', drift, controls: [id], severity: 'critical' })
    const control = controlResult({ id, title: `${policy} ${id}`, severity: 'critical', verdict: 'drifted' })
    return policyResult({ id: policy, resources: [resource], controls: [control] })
  }
  const policies = [of('driftgate', 'scan'), of('db/site', 'x'), of('db', 'site/x')]
  const { tool, results } = await onlyRun({ ...interruptedRun, policies })
  const titles = results.map(({ ruleIndex }) => tool.driver.rules[ruleIndex]?.shortDescription.text)
  expect(titles).toEqual(['The scan is complete', 'driftgate scan', 'db/site x', 'db site/x'])
  const ids = results.map(({ ruleId }) => ruleId)
  expect(ids[0]).toBe('driftgate/scan')
  expect(new Set(ids).size).toBe(4)
  expect(tool.driver.rules.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
})

test('problems are notifications at their places, errors of resources at the rule they concern', async () => {
  const [invalid] = (await onlyRun(invalidRun)).invocations
  expect(invalid?.toolConfigurationNotifications.map(({ level, message }) => [level, message.text])).toEqual([
    ['error', 'unknown key "moed", did you mean "mode"?'],
    ['error', 'tabs cannot indent'],
    ['error', 'cannot read policies/missing.yaml: no such file'],
  ])
  expect(invalid?.toolConfigurationNotifications[0]?.locations?.[0]?.physicalLocation?.region?.startLine).toBe(7)
  const [audit] = (await onlyRun(auditRun)).invocations
  expect(audit?.toolExecutionNotifications[0]).toMatchObject({
    level: 'error',
    message: { text: 'file#/etc/shadow: cannot read /etc/shadow: permission denied; run as root to see it' },
    associatedRule: { id: 'ssh.hardening/ssh-02', index: 1 },
  })
})

test('a merged report has a run per machine, each a series of its own', async () => {
  const { runs } = await render(mergedRun)
  expect(runs.map(({ automationDetails }) => automationDetails)).toEqual([
    { id: 'driftgate/web01/11111111-2222-4333-8444-555555555555', guid: '11111111-2222-4333-8444-555555555555' },
    { id: 'driftgate/web02/66666666-7777-4888-9999-aaaaaaaaaaaa', guid: '66666666-7777-4888-9999-aaaaaaaaaaaa' },
  ])
  expect(runs.map(({ invocations }) => invocations[0]?.machine)).toEqual(['web01', 'web02'])
  expect(runs.map(({ results }) => results.length)).toEqual([1, 2])
})

test('problems of a merged report as a whole have a run of their own', async () => {
  const problems = [{ message: 'web03: the scan could not be performed', severity: 'error' as const }]
  const { runs } = await render({ ...mergedRun, problems, exit: { code: 1, reasons: [] } })
  expect(runs.map(({ invocations }) => invocations[0]?.executionSuccessful)).toEqual([false, false, false])
  expect(runs.map(({ invocations }) => invocations[0]?.exitCode)).toEqual([1, undefined, undefined])
})

test('text is shown as it is: no links, no placeholders, nothing invisible', async () => {
  const [result] = await resultsOf({ name: '/{0}[x](http://a)\u202e\n', verdict: 'error', message: 'no' })
  expect(result?.message.text).toBe(String.raw`file#/{{0}}[x] (http://a)\u202e\n: no`)
})

// Other reports show the first hundred of a resource and count the rest.
test('of as many drifts as there are, each is a result', async () => {
  const many = Array.from({ length: 250 }, (_, index) => ({ property: `mode ${index}`, desired: 1, observed: 2 }))
  const results = await resultsOf({ verdict: 'drifted', drift: many })
  expect(results.map(({ properties }) => properties?.['property'])).toEqual(many.map(({ property }) => property))
})

test('a very long message is cut', async () => {
  const [result] = await resultsOf({ verdict: 'error', message: '😀'.repeat(5_000) })
  expect(result?.message.text.length).toBeLessThanOrEqual(4_000)
  expect(result?.message.text).toMatch(/😀…$/u)
})

test.each([...SAMPLE_RUNS, ['waived', waivedRun], ['compared', comparedRun], ['merged', mergedRun]] as const)(
  'the schema accepts the %s run, and refuses it damaged',
  async (_name, run) => {
    const text = await renderReport(run, 'sarif')
    expect(() => parseSarif(text)).not.toThrow()
    expect(() => parseSarif(text.replace('"executionSuccessful"', '"executionSuccesful"'))).toThrow(
      'executionSuccesful',
    )
  },
)

test('the schema accepts every run, no resource is lost, and the fields of each result are consistent', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryRun, async (run) => {
      const { runs } = await render(run)
      for (const { results, tool } of runs) {
        for (const { ruleId, ruleIndex, kind, level } of results) {
          expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId)
          expect(level === 'none').toBe(kind !== 'fail')
        }
        expect(new Set(results.map((result) => 'suppressions' in result)).size).toBeLessThanOrEqual(1)
        expect(new Set(results.map((result) => 'baselineState' in result)).size).toBeLessThanOrEqual(1)
      }
      const verdicts = new Set(
        runs.flatMap(({ results }) => results.flatMap((result) => result.properties?.['verdict'] ?? [])),
      )
      const counted = run.policies.flatMap(({ resources }) => withoutRollUps(resources))
      expect(verdicts).toEqual(new Set(counted.map(({ verdict }) => verdict)))
    }),
    { numRuns: cases({ usual: 40, soak: 1500 }) },
  )
})
