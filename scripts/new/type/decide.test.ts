import { expect, test } from 'vitest'
import type { Seen } from '../../../src/core/observation.ts'
import { decodeProperties } from '../../../src/resource-type/decode.ts'
import { decide__Name__, type __Name__State, type __Name__Wanted } from '../../../src/resources/__type__/decide.ts'
import { __ident__ } from '../../../src/resources/__type__/index.ts'

const name = '/etc/example'
const attributes = { uid: 0, gid: 0, mode: 0o644 }

function holding(value: string): Seen<__Name__State> {
  return { kind: 'present', state: { value, attributes }, context: undefined }
}

// A row for every rule, with values from a specification or the real tool.
test.each<[string, __Name__Wanted['value'], string, string | undefined]>([
  ['the same value is compliant', '1', '1', undefined],
  ['another value is replaced', '1', '2', '1'],
  ['an accepted value stays', { one_of: ['1', '2'], fix: '2' }, '1', undefined],
  ['a fix writes what the policy says', { one_of: ['1', '2'], fix: '2' }, '3', '2'],
])('%s', (_rule, value, seen, written) => {
  const { drift, plan } = decide__Name__({ name, value }, holding(seen))
  expect(drift).toEqual(written === undefined ? [] : [{ property: 'value', desired: value, observed: seen }])
  expect(plan.kind === 'act' ? plan.action : undefined).toEqual(
    written === undefined ? undefined : { value: written, attributes },
  )
})

test('a fix that does not know what to write is refused', () => {
  const { drift, plan } = decide__Name__({ name, value: { not: '1' } }, holding('1'))
  expect(drift).toHaveLength(1)
  expect(plan.kind).toBe('refuse')
})

test('what is not there is missing', () => {
  const { drift, plan } = decide__Name__({ name, value: '1' }, { kind: 'absent', context: undefined })
  expect(drift).toEqual([{ property: 'ensure', desired: 'present', observed: 'absent' }])
  expect(plan.kind).toBe('refuse')
})

test.each(['a\nb', { one_of: ['1'], fix: '2' }, { one_of: ['a\nb'] }])('the value %j is refused', (value) => {
  expect(decodeProperties(__ident__, { name, value }).ok).toBe(false)
})
