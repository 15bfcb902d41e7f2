import { expect, test } from 'vitest'
import { renderReport, reportFormats } from '../../src/report/index.ts'
import { policyResult, resourceResult, runOf } from '../support/run.ts'

/** Characters that are invisible, or look like others. */
const SIGNS: readonly (readonly [name: string, sign: string])[] = [
  ['a bell', '\u0007'],
  ['an escape sequence', '\u001b[31m'],
  ['a control of the upper half', '\u0085'],
  ['a soft hyphen', '\u00ad'],
  ['a blank that does not break', '\u00a0'],
  ['an em space', '\u2003'],
  ['an ideographic space', '\u3000'],
  ['a blank of Braille', '\u2800'],
  ['a filler of Hangul', '\u3164'],
  ['a joiner of graphemes', '\u034f'],
  ['a variation selector', '\ufe00'],
  ['a space of no width', '\u200b'],
  ['a bidirectional override', '\u202e'],
  ['a line separator', '\u2028'],
  ['a byte order mark', '\ufeff'],
  ['a noncharacter', '\ufffe'],
  ['a noncharacter of another plane', '\u{1fffe}'],
  ['a byte that is no text', '\udce9'],
]

/** Formats that show only numbers and names of policies. */
const WITHOUT_VALUES = new Set(['prometheus'])

const CASES = SIGNS.flatMap(([name, sign]) =>
  reportFormats
    .filter((format) => !WITHOUT_VALUES.has(format.name))
    .map((format) => [name, format.name, sign] as const),
)

test.each(CASES)('%s is shown as an escape in the format %s', async (_name, format, sign) => {
  const drift = [{ property: 'comment', desired: 'root', observed: `ro${sign}ot` }]
  const result = resourceResult({ verdict: 'drifted', change: 'will', drift, message: `found ro${sign}ot` })
  const text = await renderReport(runOf({ policies: [policyResult({ resources: [result] })] }), format)
  expect(text).not.toContain(`ro${sign}ot`)
  expect(text).toMatch(/ro\\+(?:x|u\{*|U)[0-9a-f]/)
})
