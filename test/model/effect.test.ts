import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { describeEffects, type Effect, EFFECT_KINDS, toFiles } from '../../src/model/effect.ts'

test('effects are told in their order, before and after', () => {
  const effects: readonly Effect[] = [
    { kind: 'download', object: 'the archive' },
    { kind: 'set-attributes', object: 'the file' },
    ...toFiles('write', 3),
    ...toFiles('remove', 1),
    ...toFiles('remove', 0),
  ]
  expect(describeEffects(effects, 'planned')).toBe(
    'would download the archive, set the attributes of the file, write 3 files, remove 1 file',
  )
  expect(describeEffects(effects, 'done')).toBe(
    'downloaded the archive, set the attributes of the file, wrote 3 files, removed 1 file',
  )
})

const IRREGULAR = ['write', 'set', 'set-attributes', 'run']
const REGULAR = EFFECT_KINDS.filter((kind) => !IRREGULAR.includes(kind))

test.each(REGULAR)('%s is a verb of the plan, and regular in the past', (kind) => {
  const effects: readonly Effect[] = [{ kind, object: 'it' }]
  expect(describeEffects(effects, 'planned')).toBe(`would ${kind} it`)
  const past = kind === 'stop' ? 'stopped' : kind.replace(/e?$/, 'ed')
  expect(describeEffects(effects, 'done')).toBe(`${past} it`)
})

test('the schema of reports knows every effect, and no other', () => {
  const schema = JSON.parse(readFileSync(new URL('../../schemas/report.schema.json', import.meta.url), 'utf8'))
  const { kind } = schema.$defs.resource.properties.effect.items.properties
  expect(kind.enum.toSorted()).toEqual(EFFECT_KINDS.toSorted())
})
