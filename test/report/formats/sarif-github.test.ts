import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Run } from '../../../src/model/run.ts'
import { renderReport } from '../../../src/report/index.ts'
import type { SarifRun } from '../../../src/report/words/sarif-log.ts'
import { arbitraryRun } from '../../support/arbitrary-run.ts'
import { comparedRun, mergedRun, waivedRun } from '../../support/format-runs.ts'
import { controlResult, policyResult, runOf, runWith } from '../../support/run.ts'
import { auditRun, emptyRun, fixRun, interruptedRun, invalidRun, SAMPLE_RUNS } from '../../support/sample-runs.ts'
import { parseSarif } from '../../support/sarif.ts'
import { cases } from '../../support/soak.ts'

async function render(run: Run): Promise<SarifRun> {
  const { runs } = parseSarif(await renderReport(run, 'sarif-github'))
  const [only] = runs
  if (only === undefined || runs.length > 1) throw new Error(`${runs.length} runs`)
  return only
}

async function textsOf(run: Run): Promise<readonly string[]> {
  return (await render(run)).results.map(({ message }) => message.text)
}

const drift = [{ property: 'mode', desired: '0600', observed: '0644', fingerprint: 'aa' }]

test('only failures are alerts, the worst first', async () => {
  const { results } = await render(auditRun)
  // Every drift of the three drifted resources by severity, then the error; nothing blocked, waived, skipped or compliant.
  expect(results.map(({ level, locations }) => [level, locations[0]?.physicalLocation?.region?.startLine])).toEqual([
    ['error', 22],
    ['error', 14],
    ['error', 14],
    ['error', 14],
    ...Array.from({ length: 6 }, () => ['warning', 30]),
    ['error', 41],
  ])
})

test('waived, known, fixed or compliant resources are no alerts', async () => {
  expect(await textsOf(waivedRun)).toEqual([
    'file#/etc/issue: mode: want 0644, found 0666; waiver W-0 expired on 2026-11-01',
  ])
  expect(await textsOf(comparedRun)).toEqual([
    'file#/etc/issue: owner: want root, found nobody',
    'file#/etc/issue: group: want root, found games',
  ])
  expect(await textsOf(fixRun)).toEqual([
    'file#/srv/data: mode: want 0750, found 0777; chmod /srv/data: operation not permitted',
  ])
})

test('the fingerprint is the one that GitHub looks at', async () => {
  const { results } = await render(runWith({ verdict: 'drifted', drift }))
  expect(results.map(({ partialFingerprints }) => partialFingerprints)).toEqual([{ primaryLocationLineHash: 'aa' }])
})

test('the same drift of two machines is two alerts with stable fingerprints', async () => {
  const { results } = await render(mergedRun)
  const hashes = results.map(({ partialFingerprints }) => partialFingerprints['primaryLocationLineHash'])
  expect(new Set(hashes).size).toBe(2)
  expect(results.map(({ message }) => message.text)).toEqual([
    'web01: file#/etc/motd: mode: want 0644, found 0664',
    'web02: file#/etc/motd: mode: want 0644, found 0664',
  ])
  const reversed = await render({ ...mergedRun, policies: mergedRun.policies.toReversed() })
  expect(reversed.results.map(({ partialFingerprints }) => partialFingerprints['primaryLocationLineHash'])).toEqual(
    hashes.toReversed(),
  )
})

test.each([
  ['policies/ssh.yaml', 'policies/ssh.yaml', 7],
  ['./policies/../a b.yaml', 'a%20b.yaml', 7],
  // The upload makes it relative where it lies below the checkout.
  ['/home/runner/work/a.yaml', 'file:///home/runner/work/a.yaml', 7],
  ['../secret/home/ssh.yaml', 'ssh.yaml', 7],
  ['-', 'stdin', 7],
  ['web.tgz!/policy.yaml', 'web.tgz', 1],
  // GitHub refuses the whole file for an address that is not one of a file.
  ['https://example.com/p/web.tgz!/policy.yaml', 'example.com/p/web.tgz', 1],
])('%s is a path that GitHub takes, with a line', async (file, uri, startLine) => {
  const { results } = await render(runWith({ verdict: 'drifted', drift, source: { file, line: 7, column: 3 } }))
  const { artifactLocation, region } = results[0]?.locations[0]?.physicalLocation ?? {}
  expect([artifactLocation, region?.startLine]).toEqual([{ uri }, startLine])
})

test.each([
  ['did not run', invalidRun, 4, 'policies/base.yaml'],
  ['was interrupted', interruptedRun, 1, 'policies/base.yaml'],
  ['evaluated nothing', emptyRun, 1, 'policies/base.yaml'],
])('a scan that %s is an alert, so that no green list hides it', async (text, run, count, file) => {
  const { results, invocations } = await render(run)
  const alerts = results.filter(({ ruleId }) => ruleId === 'driftgate/scan')
  expect(alerts).toHaveLength(count)
  expect(alerts[0]?.message.text).toContain(text)
  expect(alerts.map(({ level }) => level)).toEqual(alerts.map(() => 'error'))
  const uris = alerts.map(({ locations }) => locations[0]?.physicalLocation?.artifactLocation.uri)
  expect(uris).toContain(file)
  expect(invocations[0]?.executionSuccessful).toBe(false)
})

test('a rule has at most twenty tags', async () => {
  const tags = Array.from({ length: 30 }, (_, index) => `tag-${index}`)
  const run = runOf({ policies: [policyResult({ controls: [controlResult({ tags })] })] })
  const [rule] = (await render(run)).tool.driver.rules
  expect(rule?.properties['tags']).toEqual(['security', ...tags.slice(0, 19)])
})

test('more than GitHub takes is cut from the mild end, and said', async () => {
  const many = Array.from({ length: 25_010 }, (_, index) => ({
    name: `/srv/${index}`,
    verdict: 'drifted' as const,
    severity: index === 25_009 ? ('critical' as const) : ('low' as const),
    drift: [{ property: 'mode', desired: '0600', observed: '0644' }],
  }))
  const { results, invocations } = await render(runWith(...many))
  expect(results).toHaveLength(25_000)
  expect(results[0]?.message.text).toContain('file#/srv/25009:')
  expect(invocations[0]?.toolExecutionNotifications.map(({ message }) => message.text)).toEqual([
    'There are 25010 results, of which GitHub keeps 5000. 10 of them are omitted here. The JSON report has all.',
  ])
})

test('GitHub shows plain text: no links, and single braces', async () => {
  const [text] = await textsOf(runWith({ verdict: 'error', message: '[x](https://a) {0}' }))
  expect(text).toBe('file#/etc/motd: [x] (https://a) {0}')
})

test.each([...SAMPLE_RUNS, ['waived', waivedRun], ['compared', comparedRun], ['merged', mergedRun]] as const)(
  'the schema accepts the %s run',
  async (_name, run) => {
    await expect(render(run)).resolves.toBeDefined()
  },
)

test('the schema and GitHub accept every run: a relative or file path, a line, a fingerprint each', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryRun, async (run) => {
      const { results } = await render(run)
      const places = results.map(({ locations }) => locations[0]?.physicalLocation)
      for (const place of places) {
        expect(place?.artifactLocation.uri).toMatch(/^(?:file:\/\/\/|(?![a-z][a-z\d+.-]*:|\/))[^]+$/i)
        expect(place?.region?.startLine).toBeGreaterThanOrEqual(1)
      }
      const ofResources = results.filter(({ ruleId }) => ruleId !== 'driftgate/scan')
      const hashes = ofResources.map(({ partialFingerprints }) => partialFingerprints['primaryLocationLineHash'])
      expect(new Set(hashes).size).toBe(hashes.length)
    }),
    { numRuns: cases({ usual: 40, soak: 1500 }) },
  )
})
