import { describe, expect, test } from 'vitest'
import { renderReport } from '../../../src/index.ts'
import { problemsOf, scanWith } from '../../compatibility/support.ts'
import { findAll, parseXml } from '../../support/xml.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const FINE = `ccm:
  resources:
    - file: { name: /nowhere/at/all, ensure: absent }
`

function policyWith(...controls: readonly string[]): string {
  return `policy:
  controls:
${controls.map((control) => `    - ${control}`).join('\n')}
`
}

describe('a control that no resource supports is a problem, since nothing would be checked', () => {
  test.each([
    ['{ id: a }', /^3:13 control "a" has no resources/],
    ['{ id: a, resources: [] }', /^3:27 control "a" has no resources/],
    ['{ id: a, manual: false, resources: [] }', /^3:42 control "a" has no resources/],
    ['{ id: a, manual: yes, resources: [] }', /manual must be true or false/],
  ])('%s', async (control, message) => {
    const problems = await problemsOf(temporaryDirectory(), policyWith(control) + FINE)
    expect(problems).toContainEqual(expect.stringMatching(message))
  })

  test('a reference that leads nowhere is told alone', async () => {
    const problems = await problemsOf(temporaryDirectory(), policyWith('{ id: a, resources: [file#/x] }') + FINE)
    expect(problems).toEqual([expect.stringContaining('no resource "file#/x"')])
  })
})

const MANUAL = policyWith(
  '{ id: papers, title: The papers are in the safe, manual: true }',
  '{ id: half, manual: true, resources: [file#/nowhere/at/all] }',
  '{ id: whole, resources: [file#/nowhere/at/all] }',
)

test('a control that a person has to look at is never green', async () => {
  const run = await scanWith(temporaryDirectory(), MANUAL + FINE)
  expect(run.policies[0]?.controls.map(({ id, verdict }) => [id, verdict])).toEqual([
    ['papers', 'not-evaluated'],
    ['half', 'not-evaluated'],
    ['whole', 'compliant'],
  ])
  expect(run.exit.code).toBe(0)
})

test('drift of a manual control outranks its manual review', async () => {
  const drifting = 'ccm: { resources: [ { file: { name: /etc/passwd, ensure: absent } } ] }\n'
  const run = await scanWith(
    temporaryDirectory(),
    policyWith('{ id: half, manual: true, resources: [file#/etc/passwd] }') + drifting,
  )
  expect(run.policies[0]?.controls).toMatchObject([{ id: 'half', verdict: 'drifted' }])
})

test('a policy of such controls alone evaluates nothing', async () => {
  const run = await scanWith(temporaryDirectory(), `${policyWith('{ id: a, manual: true }')}ccm: { resources: [] }\n`)
  expect(run.exit.code).toBe(5)
  expect(run.policies[0]?.controls).toMatchObject([{ id: 'a', verdict: 'not-evaluated', resources: [] }])
  const mixed = `${policyWith('{ id: a, manual: true }', '{ id: b }')}ccm: { resources: [] }\n`
  expect(await problemsOf(temporaryDirectory(), mixed)).not.toEqual([])
})

describe('every report says so', () => {
  test.each(['text', 'json', 'html', 'markdown', 'ndjson', 'prometheus'] as const)('%s', async (format) => {
    const run = await scanWith(temporaryDirectory(), MANUAL + FINE)
    expect(await renderReport(run, format)).toContain('not-evaluated')
  })

  test('junit and tap skip it', async () => {
    const run = await scanWith(temporaryDirectory(), MANUAL + FINE)
    const cases = findAll(parseXml(await renderReport(run, 'junit')), 'testcase')
    expect(cases.filter((each) => findAll(each, 'skipped').length > 0)).toHaveLength(2)
    expect(await renderReport(run, 'tap')).toContain('The papers are in the safe # SKIP not evaluated')
  })

  test('sarif asks for a review, hdf has no result that passed', async () => {
    const run = await scanWith(temporaryDirectory(), MANUAL + FINE)
    const sarif = JSON.parse(await renderReport(run, 'sarif'))
    const reviews = sarif.runs[0].results.filter(({ kind }: { kind: string }) => kind === 'review')
    expect(reviews).toHaveLength(2)
    const hdf = JSON.parse(await renderReport(run, 'hdf'))
    const statuses = hdf.profiles[0].controls.map(({ id, results }: { id: string; results: { status: string }[] }) => [
      id,
      results.map(({ status }) => status),
    ])
    expect(Object.fromEntries(statuses)).toMatchObject({ papers: ['skipped'], half: ['skipped'], whole: ['passed'] })
  })
})
