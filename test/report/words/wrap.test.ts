import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PLAIN } from '../../../src/report/format.ts'
import { renderReport } from '../../../src/report/index.ts'
import { wrapLine } from '../../../src/report/words/wrap.ts'
import { controlResult, policyResult, resourceResult, runOf } from '../../support/run.ts'

test('no word is lost, broken or moved, and no line is longer than it must be', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 30 })
  const shape = fc.record({ words, lead: fc.nat(6), width: fc.integer({ min: 10, max: 60 }), hanging: fc.nat(8) })
  fc.assert(
    fc.property(shape, (given) => {
      const line = ' '.repeat(given.lead) + given.words.join(' ')
      const lines = wrapLine(line, given.width, given.hanging)
      expect(lines.flatMap((each) => each.trim().split(' '))).toEqual(given.words)
      for (const [index, each] of lines.entries()) {
        expect(each.startsWith(' '.repeat(index === 0 ? given.lead : given.hanging))).toBe(true)
        if (each.trim().includes(' ')) expect(each.length).toBeLessThanOrEqual(given.width)
      }
    }),
  )
})

test('colours take no room, and without a width nothing is broken', () => {
  const red = '\u001B[31mred\u001B[39m'
  expect(wrapLine(`${red} ${red} ${red}`, 7, 2)).toEqual([`${red} ${red}`, `  ${red}`])
  expect(wrapLine('a  b  c', undefined, 2)).toEqual(['a  b  c'])
})

test('at 60 columns no line of the text report is wider, but those of a diff', async () => {
  const long = 'a rather long explanation that goes on and on until it is wider than sixty columns are'
  const result = resourceResult({
    verdict: 'drifted',
    change: 'cannot',
    changeReason: long,
    drift: [{ property: 'content', desired: 'x', observed: 'y', note: long, diff: `-${'x '.repeat(50)}\n+b\n` }],
    controls: ['c-1'],
    warnings: [long],
  })
  const control = controlResult({ id: 'c-1', title: long, verdict: 'drifted', remediation: `${long}\n${long}` })
  const policy = policyResult({ title: long, resources: [result], controls: [control] })
  const lines = (await renderReport(runOf({ policies: [policy] }), 'text', { ...PLAIN, width: 60 })).split('\n')
  const wide = lines.filter(({ length }) => length > 60)
  expect(wide).toEqual([expect.stringMatching(/^ *-x x x/)])
})

test('a severity has a colour', async () => {
  const paint = (tone: string, text: string): string => `<${tone}>${text}</>`
  const policy = policyResult({ resources: [resourceResult({ verdict: 'drifted', severity: 'critical' })] })
  const text = await renderReport(runOf({ policies: [policy] }), 'text', { ...PLAIN, paint })
  expect(text).toContain('<bad>drifted</>  <bad>critical</>')
})

test('a control that is not met says how to mend it and where it comes from', async () => {
  const control = {
    id: 'c-1',
    remediation: 'Do this.\nThen that.',
    references: { 'cis-debian-12': ['5.1.1', '5.1.2'], stig: ['V-1'] },
  }
  const drifted = resourceResult({ verdict: 'drifted', controls: ['c-1'] })
  const unmet = policyResult({ resources: [drifted], controls: [controlResult({ ...control, verdict: 'drifted' })] })
  const met = policyResult({
    resources: [resourceResult({ controls: ['c-1'] })],
    controls: [controlResult({ ...control, verdict: 'compliant' })],
  })
  const references = 'cis-debian-12 5.1.1, 5.1.2; stig V-1'
  for (const format of ['text', 'junit', 'markdown', 'github'] as const) {
    const text = await renderReport(runOf({ policies: [unmet] }), format)
    expect(text, format).toMatch(/remediation: +Do this/)
    expect(text, format).toContain('Then that')
    expect(text.replaceAll('%2C', ','), format).toContain(references)
    expect(await renderReport(runOf({ policies: [met] }), format), format).not.toContain('Do this')
  }
})
