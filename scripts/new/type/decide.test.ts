import { expect, test } from 'vitest'
import { decodeProperties } from '../../../src/resource-type/decode.ts'
import { decide__Name__, type __Name__State, type __Name__Wanted } from '../../../src/subjects/__type__/decide.ts'
import { __ident__ } from '../../../src/subjects/__type__/index.ts'
import { testDecisionCases } from '../decision-cases.ts'

const name = '/etc/example'
const attributes = { uid: 0, gid: 0, mode: 0o644 }

// The cases are data, in cases/*.json: a rule is a line there. One that observes no value sees nothing at all.
testDecisionCases('__type__', {
  wanted: ['value'],
  observed: ['value'],
  decide: (wanted, observed) => {
    const state = { attributes, ...observed } as __Name__State
    const context = undefined
    const seen =
      'value' in observed ? ({ kind: 'present', state, context } as const) : ({ kind: 'absent', context } as const)
    return decide__Name__({ name, ...wanted } as __Name__Wanted, seen)
  },
})

test.each(['a\nb', { one_of: ['1'], fix: '2' }, { one_of: ['a\nb'] }])('the value %j is refused', (value) => {
  expect(decodeProperties(__ident__, { name, value }).ok).toBe(false)
})
