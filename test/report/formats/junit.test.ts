import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResourceResult, Run } from '../../../src/model/run.ts'
import { mergeRuns } from '../../../src/model/findings/merge.ts'
import { renderReport } from '../../../src/report/index.ts'
import { arbitraryRun } from '../../support/arbitrary-run.ts'
import { hostileText } from '../../support/hostile-text.ts'
import { controlResult, policyResult, resourceResult, runOf, runWith } from '../../support/run.ts'
import { auditRun, emptyRun, fixRun, interruptedRun, invalidRun, SAMPLE_RUNS } from '../../support/sample-runs.ts'
import { findAll, parseXml, type XmlElement } from '../../support/xml.ts'
import { canonicalizeXml, validateXml, xmllintMissing } from '../../support/xmllint.ts'
import { cases } from '../../support/soak.ts'

const SCHEMAS = ['jenkins-xunit.xsd', 'surefire.xsd'] as const

async function render(run: Run): Promise<XmlElement> {
  return parseXml(await renderReport(run, 'junit'))
}

/** The only case of a run over one resource. */
async function caseOf(fields: Partial<ResourceResult>): Promise<XmlElement> {
  const [found] = findAll(await render(runWith(fields)), 'testcase')
  if (found === undefined) throw new Error('no case')
  return found
}

function namesOf(document: XmlElement): readonly string[] {
  return findAll(document, 'testcase').map(({ attributes }) => attributes['name'] ?? '')
}

test('the root counts all suites and names the host', async () => {
  const { name, attributes } = await render(auditRun)
  expect(name).toBe('testsuites')
  // 2 policies with 9 and 2 resources, of which 3 drifted, 1 is an error and 1 blocked; 41.5 ms.
  expect(attributes).toEqual({ name: 'driftgate on web01', tests: '11', failures: '3', errors: '2', time: '0.042' })
})

test('a suite per policy carries the host, the time to the second and the identity of the policy', async () => {
  const [suite, ...others] = findAll(await render(auditRun), 'testsuite')
  expect(others).toHaveLength(1)
  expect(suite?.attributes).toEqual({
    name: 'ssh.hardening on web01',
    hostname: 'web01',
    timestamp: '2026-11-20T12:00:00',
    tests: '9',
    failures: '3',
    errors: '2',
    skipped: '2',
    time: '0.002',
  })
  const properties = suite === undefined ? [] : findAll(suite, 'property').map(({ attributes }) => attributes)
  expect(properties).toContainEqual({ name: 'policy.id', value: 'ssh.hardening' })
  expect(properties).toContainEqual({ name: 'policy.version', value: '1.2.0' })
  expect(properties).toContainEqual({ name: 'target.os', value: 'debian 12' })
})

test.each<readonly [string, Partial<ResourceResult>, string, string]>([
  [
    'drift',
    { verdict: 'drifted', severity: 'critical', drift: [{ property: 'mode', desired: '0600', observed: '0644' }] },
    'failure',
    'drift:critical',
  ],
  ['a failed fix', { verdict: 'fix-failed', errors: ['chmod failed'] }, 'failure', 'fix-failed'],
  ['an error', { verdict: 'error', reason: 'permission-denied', message: 'no' }, 'error', 'error:permission-denied'],
  ['a blocked resource', { verdict: 'blocked', blockedBy: ['file#/a'] }, 'error', 'blocked'],
])('%s is not passed over, its text in the message and in the body', async (_case, fields, element, type) => {
  const { children } = await caseOf(fields)
  const [outcome] = children
  expect(children).toHaveLength(1)
  expect(outcome?.name).toBe(element)
  expect(outcome?.attributes['type']).toBe(type)
  expect(outcome?.attributes['message']).toBe(outcome?.text)
  expect(outcome?.text).toContain('policies/base.yaml:4:9')
})

test('a failure lists every drift, the plan and where the policy says so', async () => {
  const { children } = await caseOf({
    verdict: 'drifted',
    change: 'cannot',
    changeReason: 'there is no user "app"',
    drift: [
      { property: 'content', desired: 'b', observed: 'a', diff: '@@ -1 +1 @@\n-a\n+b\n' },
      { property: 'mode', desired: '0600', observed: '0644' },
    ],
    actions: ['Would have created the file'],
  })
  expect(children[0]?.text.split('\n')).toEqual([
    'content: want b     found a',
    '         @@ -1 +1 @@',
    '         -a',
    '         +b',
    'mode:    want 0600  found 0644',
    'plan:    Would have created the file',
    'change:  cannot, there is no user "app"',
    'source:  policies/base.yaml:4:9',
  ])
})

test.each<readonly [string, Partial<ResourceResult>, string]>([
  ['waived', { verdict: 'waived', message: 'until 2027 by ops' }, 'WAIVED: until 2027 by ops'],
  ['not applicable', { verdict: 'not-applicable', message: 'control if is false' }, 'N/A: control if is false'],
  ['not applicable without a reason', { verdict: 'not-applicable' }, 'N/A: no reason given'],
])('a resource that is %s is skipped and counted, the reason first', async (_case, fields, reason) => {
  const document = await render(runWith(fields))
  const [skipped] = findAll(document, 'skipped')
  expect(skipped?.text.split('\n')[0]).toBe(reason)
  expect(skipped?.attributes).toEqual({ message: skipped?.text })
  expect(findAll(document, 'testsuite')[0]?.attributes['skipped']).toBe('1')
})

test('a fixed resource passes with its changes', async () => {
  const [fixed] = findAll(await render(fixRun), 'testcase')
  expect(fixed?.children.map(({ name, text }) => [name, text])).toEqual([
    ['system-out', 'FIXED owner: nobody -> root\nFIXED mode: 0666 -> 0644\nUpdated attributes'],
  ])
})

test("the output of a fix's command stands below its actions", async () => {
  const document = await render(runWith({ verdict: 'fixed', actions: ['Executed'], output: 'a\n b\n' }))
  expect(findAll(document, 'system-out').map(({ text }) => text)).toEqual(['Executed\noutput: a\n         b'])
})

test('a compliant resource is an empty case', async () => {
  expect((await caseOf({ durationMs: 1234.5 })).children).toEqual([])
})

test.each([
  [0, '0.000'],
  [0.3, '0.000'],
  [1234.6, '1.235'],
  [3_600_000, '3600.000'],
])('%s ms are %s seconds', async (durationMs, time) => {
  expect((await caseOf({ durationMs })).attributes['time']).toBe(time)
})

test('the class is the policy, without dots that would make it a package, and the type', async () => {
  const run = runOf({ policies: [policyResult({ id: 'cis.debian.12', resources: [resourceResult()] })] })
  expect(findAll(await render(run), 'testcase')[0]?.attributes['classname']).toBe('cis_debian_12.file')
})

test('names consist of the control, its title and the resource, and of no value', async () => {
  const resources = [
    resourceResult({
      name: '/a',
      controls: ['c.1'],
      verdict: 'drifted',
      drift: [{ property: 'mode', desired: 'V1', observed: 'V2' }],
    }),
    resourceResult({ name: '/b', controls: ['c.1', 'c2'] }),
    resourceResult({ name: '/c', controls: ['c2'] }),
    resourceResult({ name: '/d' }),
  ]
  const controls = [controlResult({ id: 'c.1', title: 'Root owns it' }), controlResult({ id: 'c2' })]
  const names = namesOf(await render(runOf({ policies: [policyResult({ resources, controls })] })))
  expect(names).toEqual(['[c.1] Root owns it (file#/a)', '[c.1, c2] file#/b', '[c2] file#/c', 'file#/d'])
})

/** A policy that applies a manifest with one drifted file, which has a control of the same id as the policy. */
const NESTED: Run = runOf({
  policies: [
    policyResult({
      resources: [
        resourceResult({ id: 'apply#sub.yaml', type: 'apply', verdict: 'drifted', controls: ['c'], durationMs: 3 }),
        resourceResult({ path: ['apply#sub.yaml'], verdict: 'drifted', controls: ['c', 'd'], durationMs: 1 }),
        resourceResult({ path: ['apply#sub.yaml'], name: '/b', controls: ['c'], durationMs: 1 }),
        resourceResult({ path: ['apply#sub.yaml'], name: '/c', controls: ['d'], durationMs: 1 }),
        resourceResult({ controls: ['c'] }),
        resourceResult({ id: 'apply#out.yaml', type: 'apply', verdict: 'not-applicable', message: 'no' }),
      ],
      controls: [
        controlResult({ id: 'c', title: 'Above' }),
        controlResult({ id: 'd', path: ['apply#sub.yaml'], title: 'Below' }),
      ],
    }),
  ],
})

test('a child manifest has its cases under the name of its apply resource, which has no case', async () => {
  const document = await render(NESTED)
  expect(namesOf(document)).toEqual([
    '[c, d] apply#sub.yaml > file#/etc/motd',
    '[c] Above (apply#sub.yaml > file#/b)',
    '[d] Below (apply#sub.yaml > file#/c)',
    '[c] Above (file#/etc/motd)',
    'apply#out.yaml',
  ])
  // 3 resources of 1 ms below, one of 0.25 ms beside and one that was not looked at: the roll-up adds nothing.
  expect(document.attributes).toMatchObject({ tests: '5', failures: '1', errors: '0' })
  expect(findAll(document, 'testsuite')[0]?.attributes).toMatchObject({ skipped: '1', time: '0.004' })
})

test('names stay the same when the outcome changes', async () => {
  const [before] = namesOf(await render(runWith({ controls: ['c'] })))
  const [after] = namesOf(
    await render(runWith({ controls: ['c'], verdict: 'error', reason: 'timeout', durationMs: 9 })),
  )
  expect(after).toBe(before)
})

test('no two cases share an identity, even where their resources do', async () => {
  const names = namesOf(await render(runWith({ id: 'a' }, { id: 'a' }, { id: 'a #2' }, { id: 'a\u0000' })))
  expect(names).toEqual(['a', 'a #2', 'a #2 #2', String.raw`a\x00`])
})

test('a long name is cut to the limit of Azure', async () => {
  const [first = '', second = ''] = namesOf(
    await render(runWith({ id: 'x'.repeat(600) }, { id: `${'x'.repeat(600)}y` })),
  )
  expect(first.length).toBeLessThanOrEqual(512)
  expect(second.length).toBeLessThanOrEqual(512)
  expect(second).not.toBe(first)
})

test.each<readonly [string, Run, string, readonly string[]]>([
  [
    'an invalid policy',
    invalidRun,
    'scan.policy',
    ['policies/base.yaml:7:11 unknown key "moed"', 'the policies have 3 problems'],
  ],
  ['nothing that applies', emptyRun, 'scan.coverage', ['nothing was evaluated']],
  ['no resource at all', runOf({ policies: [] }), 'scan.coverage', ['evaluated nothing']],
  [
    'a policy without resources',
    runOf({ policies: [policyResult({ resources: [] })] }),
    'scan.coverage',
    ['evaluated nothing'],
  ],
  ['an interruption', interruptedRun, 'scan.coverage', ['interrupted by SIGINT']],
])('%s is never an empty green file', async (_case, run, name, texts) => {
  const document = await render(run)
  const wrong = findAll(document, 'testcase').filter(({ children }) => children.some((child) => child.name === 'error'))
  expect(wrong.map(({ attributes }) => attributes['name'])).toEqual([name])
  for (const text of texts) expect(findAll(document, 'error')[0]?.text).toContain(text)
  expect(document.attributes['errors']).toBe('1')
})

test('a sound run has no case of its own', async () => {
  expect(namesOf(await render(runOf()))).toEqual(['file#/etc/motd'])
})

test.each([
  ['the end of CDATA, once', 'a]]>b', 'a]]>b'],
  ['the end of CDATA, often', ']]>]]>a]]]>b]]', ']]>]]>a]]]>b]]'],
  ['markup', `<b a='1' c="2">&amp;&#0;<!-- -->`, `<b a='1' c="2">&amp;&#0;<!-- -->`],
  ['ANSI sequences', '\u001b[31mred\u001b[0m \u001b]0;t\u0007x', String.raw`\x1b[31mred\x1b[0m \x1b]0;t\x07x`],
  ['controls', 'a\u0000\u0008\u007f\u0085b', String.raw`a\x00\x08\x7f\x85b`],
  ['line ends and tabs, made visible', 'a\r\nb\tc', String.raw`a\r\nb\tc`],
  ['bidi overrides, made visible', 'a\u202eb', String.raw`a\u202eb`],
  ['lone surrogates and non-characters', 'a\ud800b\udc00c\uffffd', String.raw`a\ud800b\udc00c\uffffd`],
  ['text beyond the first plane', 'a🙂b', 'a🙂b'],
])('%s reach a reader as they should', async (_case, text, expected) => {
  const document = await render(
    runWith(
      { id: text, verdict: 'error', reason: 'internal', message: text },
      { verdict: 'drifted', drift: [{ property: 'p', desired: text, observed: 'x' }] },
      { verdict: 'fixed', drift: [{ property: 'p', desired: text, observed: 'x' }] },
      { verdict: 'waived', message: text },
    ),
  )
  const [error, failure, output, skipped] = ['error', 'failure', 'system-out', 'skipped'].map(
    (name) => findAll(document, name)[0],
  )
  expect(namesOf(document)[0]).toBe(expected)
  expect(error?.text).toBe(`error:  internal: ${expected}\nsource: policies/base.yaml:4:9`)
  expect(error?.attributes['message']).toBe(error?.text)
  expect(failure?.text).toBe(`p:      want ${expected}  found x\nsource: policies/base.yaml:4:9`)
  expect(failure?.attributes['message']).toBe(failure?.text)
  expect(output?.text).toBe(`FIXED p: x -> ${expected}`)
  expect(skipped?.text).toBe(`WAIVED: ${expected}\nsource: policies/base.yaml:4:9`)
})

test('every document is well-formed, complete and free of control characters', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryRun, async (run) => {
      const xml = await renderReport(run, 'junit')
      expect(xml.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cs}\ufffe\uffff]/u)
      const document = parseXml(xml)
      const identities = findAll(document, 'testcase').map(
        ({ attributes }) => `${attributes['classname']} ${attributes['name']}`,
      )
      expect(new Set(identities).size).toBe(identities.length)
      expect(identities.length).toBe(Number(document.attributes['tests']))
      expect(identities.length).toBeGreaterThanOrEqual(run.summary.total)
      for (const { attributes, text } of [
        ...findAll(document, 'failure'),
        ...findAll(document, 'error'),
        ...findAll(document, 'skipped'),
      ]) {
        expect(attributes['message']).toBe(text)
      }
    }),
  )
})

/** What the schemas do not know, and the parsers of GitHub's actions and GitLab look for. */
function withoutPlaces(xml: string): string {
  return xml.replaceAll(/(?<=<testcase(?: [\w-]+="[^"]*")*) file="[^"]*" line="\d+"/g, '')
}

test('a case says which line declares it', async () => {
  const [first] = findAll(await render(auditRun), 'testcase')
  expect(first?.attributes).toMatchObject({ file: 'policies/ssh.yaml', line: '14' })
})

test.for(SAMPLE_RUNS)('Jenkins and Surefire accept the report of the %s run', async ([, run], { skip }) => {
  skip(xmllintMissing !== undefined, xmllintMissing)
  const xml = await renderReport(run, 'junit')
  for (const schema of SCHEMAS) expect(validateXml(withoutPlaces(xml), schema)).toBe('')
})

test.for<readonly [string, string, string | RegExp, string]>([
  ['an attribute of the root', 'jenkins-xunit.xsd', '<testsuites ', '<testsuites skipped="1" '],
  ['an attribute of a case', 'jenkins-xunit.xsd', '<testcase ', '<testcase status="x" '],
  ['a suite that does not count', 'jenkins-xunit.xsd', / tests="\d+" failures/g, ' failures'],
  ['a failure without a type', 'surefire.xsd', / type="drift:high"/, ''],
  ['four decimals', 'surefire.xsd', /time="(\d+\.\d+)"/g, 'time="$10"'],
  ['a time with a zone', 'surefire.xsd', /timestamp="([^"]*)"/g, 'timestamp="$1Z"'],
])('the schemas would notice %s', async ([, schema, from, to], { skip }) => {
  skip(xmllintMissing !== undefined, xmllintMissing)
  const xml = await renderReport(auditRun, 'junit')
  expect(validateXml(withoutPlaces(xml), schema)).toBe('')
  expect(validateXml(withoutPlaces(xml).replace(from, to), schema)).toContain('fails to validate')
})

test('libxml2 reads the same text, and both schemas accept it', async ({ skip }) => {
  skip(xmllintMissing !== undefined, xmllintMissing)
  const runs = fc.sample(arbitraryRun, { numRuns: cases({ usual: 8, soak: 300 }), seed: 20261120 })
  for (const run of [...runs, auditRun]) {
    const xml = await renderReport(run, 'junit')
    for (const schema of SCHEMAS) expect(validateXml(withoutPlaces(xml), schema)).toBe('')
    expect(parseXml(canonicalizeXml(xml))).toEqual(parseXml(xml))
  }
})

const HOSTILE = cases({ usual: 1_000, soak: 20_000 })

test('many hostile cases keep their order and their names apart', async () => {
  const texts = fc.sample(hostileText, { numRuns: HOSTILE, seed: 20261120 })
  const document = await render(
    runWith(...texts.map((text) => ({ id: text, name: text, verdict: 'error' as const, message: text }))),
  )
  const names = namesOf(document)
  expect(names).toHaveLength(HOSTILE)
  expect(new Set(names).size).toBe(HOSTILE)
  expect(document.attributes['errors']).toBe(String(HOSTILE))
})

test('a case is called the same whichever hosts are missing beside its own', async () => {
  const ofHost = (hostname: string): Run => ({
    ...runOf({ target: { kind: 'local', hostname, os: { id: 'debian', version: '12' } } }),
    run: { ...runOf().run, id: hostname },
  })
  const [web01, web02] = [ofHost('web01'), ofHost('web02.example')]
  const namesOf = async (run: Run): Promise<readonly string[]> =>
    findAll(parseXml(await renderReport(run, 'junit')), 'testcase').map(
      ({ attributes }) => `${attributes['classname']} ${attributes['name']}`,
    )
  const missing = [{ message: 'web01 cannot be read', severity: 'error' }] as const
  const own = 'web02_example.base.file file#/etc/motd'
  expect(await namesOf(mergeRuns([web01, web02]))).toContain(own)
  expect(await namesOf(mergeRuns([web02, web01]))).toContain(own)
  expect(await namesOf(mergeRuns([web02], missing))).toContain(own)
})
