import { Document, parse } from 'yaml'
import { expect, test } from 'vitest'
import { toSafeJson } from '../../../src/model/safe-json.ts'
import { yamlText } from '../../../src/policy/document/yaml-text.ts'

const NASTY = {
  c1: 'a\u009b31mb\u0085c\u007f',
  bidi: 'x\u202Ey\u2066z\u{e0041}',
  '::error::key': 1,
  'lines that are long enough to be folded by a printer of YAML': `first line of text\n::set-output name=a::b\n  ::error::x\nlast`,
  azure: '##vso[task.setvariable]x\n##[error]y',
  list: ['::warning::top'],
  plain: 'two\nlines\n',
}

test('nothing that a terminal or a CI log obeys is in YAML or JSON, and the values are the same', () => {
  const yaml = yamlText(new Document(NASTY))
  const json = toSafeJson(NASTY, 2)
  for (const text of [yaml, json]) {
    expect(text).not.toMatch(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]|^\s*::|##(?:vso)?\[/imu)
    expect(parse(text)).toEqual(NASTY)
  }
  expect(JSON.parse(json)).toEqual(NASTY)
  expect(yaml).toContain('plain: |\n')
})
