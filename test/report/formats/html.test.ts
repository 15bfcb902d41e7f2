import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeForTerminal } from '../../../src/model/escape.ts'
import { withoutRollUps } from '../../../src/model/roll-up.ts'
import type { Run, RunOrigin } from '../../../src/model/run.ts'
import { renderReport } from '../../../src/report/index.ts'
import { PLAIN } from '../../../src/report/format.ts'
import { originOfRun } from '../../../src/report/words/origin.ts'
import { arbitraryRun } from '../../support/arbitrary-run.ts'
import { largeRun, pageRun, pageTrend } from '../../support/page-run.ts'
import { controlResult, policyResult, resourceResult, runOf, runWith } from '../../support/run.ts'
import { auditRun, emptyRun, fixRun, interruptedRun, invalidRun, SAMPLE_RUNS } from '../../support/sample-runs.ts'
import { findAll, parseXml, type XmlElement } from '../../support/xml.ts'

const SCRIPT = /<script>([^]*?)<\/script>/g
const STYLE = /<style>([^]*?)<\/style>/g

async function htmlOf(run: Run, trend = pageTrend.slice(0, 0)): Promise<string> {
  return await renderReport(run, 'html', { ...PLAIN, trend })
}

/** The page as a tree. It is written so that it is well-formed XML, too, but for the script and the style. */
async function render(run: Run, trend = pageTrend.slice(0, 0)): Promise<XmlElement> {
  const html = await htmlOf(run, trend)
  return parseXml(html.replace('<!doctype html>\n', '').replaceAll(SCRIPT, '').replaceAll(STYLE, ''))
}

function byClass(element: XmlElement, name: string): readonly XmlElement[] {
  return findWhere(element, ({ attributes }) => (attributes['class'] ?? '').split(' ').includes(name))
}

function byId(element: XmlElement, id: string): XmlElement | undefined {
  return findWhere(element, ({ attributes }) => attributes['id'] === id)[0]
}

function findWhere(element: XmlElement, fits: (element: XmlElement) => boolean): readonly XmlElement[] {
  return element.children.flatMap((child) => [...(fits(child) ? [child] : []), ...findWhere(child, fits)])
}

/** All text of an element, that of inner elements behind its own. */
function textOf(element: XmlElement | undefined): string {
  if (element === undefined) return ''
  return [element.text, ...element.children.map(textOf)].join(' ').replace(/\s+/g, ' ').trim()
}

/** A text as reports for people show it. */
function visible(text: string): string {
  return escapeForTerminal(text)
    .replaceAll('\ufffe', String.raw`\ufffe`)
    .replaceAll('\uffff', String.raw`\uffff`)
}

function entriesOf(page: XmlElement): readonly XmlElement[] {
  return byClass(page, 'entry')
}

test('one script and one style are allowed by their digests, and nothing else', async () => {
  const html = await htmlOf(pageRun, [...pageTrend])
  const [policy = ''] = html.match(/(?<=http-equiv="Content-Security-Policy" content=")[^"]*/) ?? []
  const digests = [STYLE, SCRIPT].map((pattern) => {
    const found = [...html.matchAll(pattern)]
    expect(found).toHaveLength(1)
    return `'sha256-${createHash('sha256')
      .update(found[0]?.[1] ?? '')
      .digest('base64')}'`
  })
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    `style-src ${digests[0]}`,
    `script-src ${digests[1]}`,
    "base-uri 'none'",
    "form-action 'none'",
  ])
})

test('no element carries a handler or a style of its own, and nothing is loaded', async () => {
  const page = await render(pageRun, [...pageTrend])
  const attributes = findWhere(page, () => true).flatMap((element) => Object.keys(element.attributes))
  expect(
    attributes.filter((name) => name.startsWith('on') || ['style', 'src', 'srcset', 'action'].includes(name)),
  ).toEqual([])
  expect(findAll(page, 'link')).toEqual([])
})

test.each(SAMPLE_RUNS)('the headings of the %s run are in order and every id is there once', async (_name, run) => {
  const page = await render(run)
  const levels = findWhere(page, ({ name }) => /^h\d$/.test(name)).map(({ name }) => Number(name[1]))
  expect(levels[0]).toBe(1)
  expect(levels.filter((level) => level === 1)).toHaveLength(1)
  for (const [index, level] of levels.entries()) expect(level).toBeLessThanOrEqual((levels[index - 1] ?? 0) + 1)
  const ids = findWhere(page, ({ attributes }) => 'id' in attributes).map(({ attributes }) => attributes['id'])
  expect(new Set(ids).size).toBe(ids.length)
})

test('every link within the page and every label leads to something', async () => {
  const page = await render(pageRun, [...pageTrend])
  const targets = findWhere(page, () => true).flatMap(({ attributes }) => [
    attributes['href']?.startsWith('#') === true ? attributes['href'].slice(1) : undefined,
    attributes['for'],
    attributes['aria-labelledby'],
  ])
  const wanted = [...new Set(targets)].filter((id) => id !== undefined)
  expect(wanted.length).toBeGreaterThan(20)
  expect(wanted.filter((id) => byId(page, id) === undefined)).toEqual([])
})

test.each<readonly [string, Run, string, string]>([
  ['compliant', runOf(), 'Compliant exit 0', 'good'],
  ['audit', auditRun, 'Not compliant exit 2', 'bad'],
  ['fix', fixRun, 'Not compliant exit 4', 'bad'],
  ['invalid', invalidRun, 'Not performed exit 1', 'bad'],
  ['empty', emptyRun, 'Nothing evaluated exit 5', 'bad'],
  ['interrupted', interruptedRun, 'Interrupted exit 130', 'bad'],
  ['undecided', runOf({ exit: { code: 3, reasons: ['1 resource unknown'] } }), 'Unknown exit 3', 'warn'],
  ['unheard of', runOf({ exit: { code: 9, reasons: [] } }), 'Exit 9 exit 9', 'bad'],
])('the %s run says what came of it, with its reasons', async (_name, run, title, tone) => {
  const [panel] = byClass(await render(run), 'outcome-panel')
  const [heading] = panel === undefined ? [] : findAll(panel, 'h2')
  expect(textOf(heading)).toBe(title)
  expect(panel?.attributes['data-tone']).toBe(tone)
  for (const reason of run.exit.reasons) expect(textOf(panel)).toContain(reason)
})

test('what evaluated nothing or was interrupted is never green, whatever the exit code', async () => {
  const passed = { code: 0, reasons: [] }
  const [empty] = byClass(await render(runOf({ policies: [], exit: passed })), 'outcome-panel')
  expect(empty?.attributes['data-tone']).toBe('bad')
  expect(textOf(empty)).toContain('evaluated nothing')
  const [cut] = byClass(await render({ ...interruptedRun, exit: passed }), 'outcome-panel')
  expect(cut?.attributes['data-tone']).toBe('bad')
  expect(textOf(cut)).toContain('interrupted')
})

test('problems stand with their place and the line they are in', async () => {
  const problems = byId(await render(invalidRun), 'problems')
  expect(textOf(problems)).toContain('3 problems')
  const [first] = problems === undefined ? [] : findAll(problems, 'code')
  expect(first?.text).toBe(
    [
      'policies/base.yaml:7:11 unknown key "moed", did you mean "mode"?',
      '  7 |           moed: "0644"',
      '    |           ^',
    ].join('\n'),
  )
})

test('each drift has its property and both values, and its diff line by line', async () => {
  const page = await render(auditRun)
  const entry = entriesOf(page).find((it) => textOf(byClass(it, 'id')[0]) === 'file#/etc/ssh/sshd_config')
  if (entry === undefined) throw new Error('no entry')
  const rows = findAll(entry, 'tr').filter(({ attributes }) => attributes['class'] === undefined)
  expect(rows.map((row) => row.children.map(textOf))).toEqual([
    ['property', 'wanted', 'found'],
    ['content', 'sha256 2c26b46b68ff, 61 bytes', 'sha256 fcde2b2edba5, 62 bytes'],
    ['owner', 'root', 'nobody'],
    ['mode', '0600', '0644'],
  ])
  const lines = byClass(entry, 'diff')
    .flatMap((diff) => findAll(diff, 'span'))
    .filter((line) => line.attributes['class'] !== 'tab')
  expect(lines.map(({ attributes, text }) => [attributes['class'], text])).toContainEqual([
    'line-bad',
    '-PermitRootLogin yes\n',
  ])
  expect(lines.map(({ attributes, text }) => [attributes['class'], text])).toContainEqual([
    'line-good',
    '+PermitRootLogin no\n',
  ])
  expect(textOf(entry)).toContain('others can read it')
  expect(textOf(entry)).toContain('group (not-observable): the group database did not answer')
  expect(textOf(entry)).toContain('policies/ssh.yaml:14:11')
})

test('secrets are shown as digests', async () => {
  expect(textOf(await render(auditRun))).toContain('(secret, digest 8a1f4e0b9c7d)')
})

test('after a fix the third value is what a fresh look found', async () => {
  const [failed, fixed] = entriesOf(await render(fixRun))
  const cells = (entry: XmlElement | undefined): readonly string[] =>
    entry === undefined ? [] : byClass(entry, 'after').map((cell) => `${cell.attributes['class']}: ${textOf(cell)}`)
  expect(cells(failed)).toEqual(['after reached: www', 'after missed: 0777'])
  expect(cells(fixed)).toEqual(['after reached: root', 'after reached: 0644'])
})

test('resources stand worst first and are known to the filters', async () => {
  const entries = entriesOf(await render(auditRun)).filter(({ name }) => name === 'details')
  expect(entries.map(({ attributes }) => [attributes['data-v'], attributes['data-s'], attributes['data-i']])).toEqual([
    ['error', 'critical', '3'],
    ['drifted', 'critical', '1'],
    ['drifted', 'high', '0'],
    ['drifted', 'medium', '2'],
    ['blocked', 'medium', '4'],
    ['waived', 'low', '5'],
    ['compliant', 'medium', '8'],
  ])
})

test('what rolls up its child manifest is not listed, and what is in it says how it was reached', async () => {
  const names = entriesOf(await render(pageRun)).map((entry) => textOf(byClass(entry, 'id')[0]))
  expect(names).not.toContain('apply#extra.yaml')
  expect(names).toContain('file#/etc/extra apply#extra.yaml ›')
})

test('the address of a resource is the same in every run', async () => {
  const anchors = async (run: Run): Promise<readonly (string | undefined)[]> =>
    entriesOf(await render(run)).map(({ attributes }) => attributes['id'])
  const [first] = await anchors(runWith({ name: '/a' }))
  expect(first).toMatch(/^resource-[0-9a-f]{12}$/)
  const later = await anchors(runWith({ name: '/b' }, { name: '/a', verdict: 'error', message: 'gone' }))
  expect(later).toContain(first)
  const twice = await anchors(runWith({ name: '/a' }, { name: '/a' }))
  expect(twice).toEqual([first, `${first}-2`])
})

test('controls say what they ask for, with references as links only where they are addresses', async () => {
  const control = controlResult({
    id: 'c-1',
    title: 'A title',
    description: 'What it is for.',
    remediation: 'What to do.',
    references: {
      'nist-800-53': ['AC-3'],
      web: [
        'https://example.org/a?b=1&c="',
        'https://example.org/a?b=1&c=2',
        'javascript:alert(1)',
        'javascript://example.org/%0aalert(1)',
        'ftp://example.org/a',
        'http://a.example/\u202e',
      ],
    },
    tags: ['one', 'two'],
    verdict: 'drifted',
    resources: ['file#/etc/motd', 'file#/gone'],
  })
  const run = runOf({ policies: [policyResult({ resources: [resourceResult()], controls: [control] })] })
  const [details] = byClass(await render(run), 'control')
  if (details === undefined) throw new Error('no control')
  for (const text of [
    'c-1',
    'A title',
    'What it is for.',
    'What to do.',
    'nist-800-53',
    'AC-3',
    'one, two',
    'javascript:alert(1)',
  ])
    expect(textOf(details)).toContain(text)
  const links = findAll(details, 'a').map(({ attributes }) => attributes)
  expect(links).toEqual([
    { href: 'https://example.org/a?b=1&c=2', rel: 'noreferrer noopener' },
    { href: expect.stringMatching(/^#resource-/) },
  ])
})

test('what stands in attributes cannot end them', async () => {
  const time = '"><img src="x" onerror="alert(1)'
  const page = await render(runOf({ run: { ...runOf().run, startedAt: time } }))
  expect(findAll(page, 'time').map(({ attributes }) => attributes)).toEqual([{ datetime: time }])
  expect(findAll(page, 'img')).toEqual([])
})

test('what blocked a resource is a link to the nearest of that name', async () => {
  const path = ['apply#child.yaml']
  const outer = resourceResult({ name: '/a', verdict: 'error', message: 'no' })
  const run = runWith(
    outer,
    { id: 'apply#child.yaml', type: 'apply', name: 'child.yaml' },
    { name: '/a', path, verdict: 'error', message: 'no' },
    { name: '/b', path, verdict: 'blocked', blockedBy: ['file#/a'] },
  )
  const entries = entriesOf(await render(run))
  const blocked = entries.find(({ attributes }) => attributes['data-v'] === 'blocked')
  const inner = entries.find((entry) => textOf(byClass(entry, 'id')[0]).startsWith('file#/a apply'))
  const links = blocked === undefined ? [] : findAll(blocked, 'a').map(({ attributes }) => attributes['href'])
  expect(links[0]).toBe(`#${inner?.attributes['id']}`)
})

test('waivers stand with what is left of them, those to look after first', async () => {
  const waivers = byId(await render(pageRun), 'waivers')
  const rows = waivers === undefined ? [] : findAll(waivers, 'tr').slice(1).map(textOf)
  expect(rows).toHaveLength(3)
  expect(rows[0]).toMatch(/^old-kernel .* expired 19 days ago .*ended 2026-11-01 .*no drift .*kernel-\* .*web\*/)
  expect(rows[1]).toMatch(/^soon-over .* 3 days left .*until 2026-11-23 .*unused/)
  expect(rows[2]).toMatch(/^banner-review .* 41 days left .*until 2026-12-31 .*1 resource .*Jane Doe/)
  expect(rows[1]).toContain('OPS-99')
})

test('where the screen is narrow, every cell of a wide table has the heading of its column as its label', async () => {
  const tables = byClass(await render(pageRun), 'wide')
  expect(tables.length).toBeGreaterThan(1)
  for (const table of tables) {
    const [head, ...rows] = findAll(table, 'tr')
    const [, ...headings] = head === undefined ? [] : findAll(head, 'th').map(textOf)
    for (const row of rows) {
      expect(findAll(row, 'td').map(({ attributes }) => attributes['data-label'])).toEqual(headings)
    }
  }
})

test('many controls that hold are folded, and those that do not are in sight', async () => {
  const holding = Array.from({ length: 9 }, (_, index) => controlResult({ id: `holds-${index}` }))
  const controls = [...holding, controlResult({ id: 'fails', verdict: 'drifted' })]
  const page = await render(runOf({ policies: [policyResult({ controls })] }))
  const folded = byClass(page, 'folded').map(textOf)
  expect(folded).toContainEqual(expect.stringMatching(/^9 controls compliant or not applicable .*holds-8/))
  expect(folded.join()).not.toContain('fails')
  expect(findAll(page, 'summary').map(textOf)).toContain('drifted medium fails 1 resource')
})

test('a baseline shows what is new, known, gone and beyond comparison', async () => {
  const page = await render(pageRun)
  const text = textOf(byId(page, 'baseline'))
  for (const part of [
    'New or changed: 1 resource',
    'Known: 1 resource',
    'file#/etc/crontab',
    'the policy was not part of this run',
  ])
    expect(text).toContain(part)
  const badges = (id: string): readonly string[] =>
    entriesOf(page)
      .filter((entry) => textOf(byClass(entry, 'id')[0]) === id)
      .flatMap((entry) => findAll(entry, 'summary').flatMap((summary) => byClass(summary, 'badge').map(textOf)))
  expect(badges('file#/etc/login.defs')).toEqual(['known'])
  expect(badges('file#/etc/sudoers.d/deploy')).toEqual(['new'])
  expect(byId(await render(auditRun), 'baseline')).toBeUndefined()
})

test('a trend shows earlier runs and this one, as a drawing, in words and as numbers', async () => {
  const trend = byId(await render(pageRun, [...pageTrend]), 'trend')
  const [drawing] = trend === undefined ? [] : findAll(trend, 'svg')
  expect(drawing?.attributes['role']).toBe('img')
  // 9 in the first of the points, 5 drifted in the run itself.
  expect(drawing?.attributes['aria-label']).toBe(
    'Over 10 runs since 2026-11-10 04:00 UTC, drift went from 9 to 5 resources.',
  )
  expect(drawing?.children).toHaveLength(10)
  const rows = trend === undefined ? [] : findAll(trend, 'tr').map((row) => row.children.map(textOf))
  expect(rows[1]).toEqual(['2026-11-20 12:00 UTC', '16', '5', '5', '0', '3', '2', '2'])
  expect(rows.at(-1)).toEqual(['2026-11-10 04:00 UTC', '17', '5', '9', '0', '1', '2', '2'])
  expect(byId(await render(pageRun), 'trend')).toBeUndefined()
})

test('a merged report says of which machine a policy is and filters by it', async () => {
  const [policy] = auditRun.policies
  if (policy === undefined) throw new Error('no policy')
  const policies = ['web01', 'web02'].map((hostname) => ({
    ...policy,
    origin: {
      runId: hostname,
      mode: 'audit' as const,
      startedAt: '2026-11-20T12:00:00.250Z',
      target: { kind: 'local' as const, hostname, os: { id: 'debian', version: '12' } },
    },
  }))
  const page = await render(
    runOf({ policies, target: { kind: 'merged', hostname: '2 hosts', os: { id: '', version: '' } } }),
  )
  expect(textOf(findAll(page, 'h1')[0])).toBe('Audit of 2 machines')
  const machines = byId(page, 'machines')
  expect(
    machines === undefined
      ? []
      : findAll(machines, 'tr')
          .slice(1)
          .map((row) => row.children.map(textOf)),
  ).toEqual(
    ['web01', 'web02'].map((host) => [
      expect.stringContaining(host),
      '2026-11-20 12:00 UTC',
      'score 35 of 100, 4 of 9 failing',
      '2 compliant 3 drifted 1 error 1 blocked 1 not-applicable 1 waived',
    ]),
  )
  // What both have alike is there once, and known to the filter by both.
  expect(byClass(page, 'group')).toHaveLength(1)
  expect(new Set(entriesOf(page).map(({ attributes }) => attributes['data-h']))).toEqual(new Set(['0 1']))
  const hosts = findAll(page, 'select').find(({ attributes }) => attributes['name'] === 'h')
  expect(hosts === undefined ? [] : findAll(hosts, 'option').map(textOf)).toEqual(['all', 'web01', 'web02'])
})

test('policies of several runs on one machine say from when they are', async () => {
  const origin = (startedAt: string): RunOrigin => ({ ...originOfRun(runOf()), runId: startedAt, startedAt })
  const policies = ['2026-11-19T04:00:00.000Z', '2026-11-20T04:00:00.000Z'].map((startedAt) => ({
    ...policyResult(),
    origin: origin(startedAt),
  }))
  const page = await render(runOf({ policies }))
  const [first, second] = byClass(page, 'group').map(textOf)
  expect(first).toContain('scanned 2026-11-19 04:00 UTC')
  expect(second).toContain('scanned 2026-11-20 04:00 UTC')
  expect(byId(page, 'machines')).toBeUndefined()
})

test('health checks show their last words and how often they were tried', async () => {
  const page = textOf(await render(pageRun))
  expect(page).toMatch(/queue, 2 attempts cannot connect UNKNOWN/)
  expect(page).toMatch(/alive alive OK/)
})

test('long texts are cut', async () => {
  const html = await htmlOf(runWith({ verdict: 'error', message: 'x'.repeat(1_000_000) }))
  expect(html.length).toBeLessThan(100_000)
  expect(html).toContain('… (996000 more characters)')
})

test('10,000 resources make a page that can be sent', async () => {
  expect((await htmlOf(largeRun(10_000))).length).toBeLessThan(12_000_000)
})

test('any run becomes a well-formed page that holds every text as text', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryRun, async (run) => {
      const page = await render(run)
      const shown = entriesOf(page).map((entry) => byClass(entry, 'id')[0]?.text ?? '')
      const given = run.policies.flatMap(({ resources }) => withoutRollUps(resources).map(({ id }) => visible(id)))
      // What is the same on several machines is there once, with the number of each.
      const machines = entriesOf(page).map(({ attributes }) => (attributes['data-h'] ?? '').split(' ').length)
      expect(machines.reduce((sum, count) => sum + count, 0)).toBe(given.length)
      expect(new Set(shown)).toEqual(new Set(given))
      const notes = byId(page, 'notes')
      expect(notes === undefined ? [] : findAll(notes, 'li').map(({ text }) => text)).toEqual(
        (run.notes ?? []).map((note) => note.split('\n').map(visible).join('\n')),
      )
    }),
  )
})
