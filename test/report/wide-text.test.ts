import { expect, test } from 'vitest'
import { PLAIN } from '../../src/report/format.ts'
import { renderReport } from '../../src/report/index.ts'
import { controlResult, policyResult, resourceResult, runOf } from '../support/run.ts'

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

/** Two columns for each Chinese or Japanese character, none for an accent that combines. */
const NAMES = ['服务器配置文件', 'サーバー', 'plain', 'cafe\u0301'] as const
const COLUMNS = [14, 8, 5, 4] as const

test('columns are aligned for names of every script', async () => {
  const controls = NAMES.map((id) => controlResult({ id, title: `<${id}`, verdict: 'compliant' }))
  const text = await renderReport(runOf({ policies: [policyResult({ controls })] }), 'text')
  for (const [index, name] of NAMES.entries()) {
    expect(text).toContain(`  ${name}${' '.repeat(14 - (COLUMNS[index] ?? 0))}  <${name}\n`)
  }
})

test('desired and observed values are aligned in every script', async () => {
  const drift = NAMES.map((desired, index) => ({ property: `p${index}`, desired, observed: '-' }))
  const policy = policyResult({ resources: [resourceResult({ verdict: 'drifted', drift })] })
  const text = await renderReport(runOf({ policies: [policy] }), 'text')
  for (const [index, name] of NAMES.entries()) {
    const quotes = text.includes(`want "${name}"`) ? '"' : ''
    expect(text).toContain(`want ${quotes}${name}${quotes}${' '.repeat(14 - (COLUMNS[index] ?? 0))}  found `)
  }
})

test('a line of Chinese is broken where the terminal would break it', async () => {
  // Four columns a word and one for the space: 60 columns, 6 of them margin, hold no 12 of them.
  const policy = policyResult({
    resources: [
      resourceResult({ verdict: 'compliant', warnings: [Array.from({ length: 40 }, () => '配置').join(' ')] }),
    ],
  })
  const text = await renderReport(runOf({ policies: [policy] }), 'text', { ...PLAIN, width: 60 })
  const lines = text.split('\n').filter((line) => line.includes('配置'))
  expect(lines.length).toBeGreaterThan(3)
  for (const line of lines) expect(line.length + (line.match(/[配置]/g) ?? []).length).toBeLessThanOrEqual(60)
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
    description: 'Because of that.',
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
  for (const format of ['text', 'junit', 'markdown', 'github', 'tap', 'gitlab'] as const) {
    const text = await renderReport(runOf({ policies: [unmet] }), format, { ...PLAIN, verbose: true })
    expect(text, format).toContain('Because of that')
    expect(text, format).toMatch(/remediation\W+Do this/)
    expect(text, format).toContain('Then that')
    expect(text.replaceAll('%2C', ','), format).toContain(references)
    expect(await renderReport(runOf({ policies: [met] }), format), format).not.toContain('Do this')
  }
})
