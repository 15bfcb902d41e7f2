import { expect, test } from 'vitest'
import { toSafeJson } from '../../src/model/safe-json.ts'

test.each([
  ['a control character', '\u007f', String.raw`"\u007f"`],
  ['one of the second set', 'a\u009bb', String.raw`"a\u009bb"`],
  ['what has no width', '\u200b', String.raw`"\u200b"`],
  ['what reorders text', '\u202e', String.raw`"\u202e"`],
  ['what ends a line', '\u2028\u2029', String.raw`"\u2028\u2029"`],
  ['a tag outside of the basic plane', '\u{e0001}', String.raw`"\udb40\udc01"`],
  ['a command of Azure Pipelines', '##vso[task]', String.raw`"#\u0023vso[task]"`],
  ['a command of an older log', '##[error]', String.raw`"#\u0023[error]"`],
  ['what people write', '# ä €', '"# ä €"'],
])('%s is written so that nothing obeys it, and read back as it was', (_what, text, json) => {
  expect(toSafeJson(text)).toBe(json)
  expect(JSON.parse(json)).toBe(text)
})
