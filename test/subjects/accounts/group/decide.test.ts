import { expect, test } from 'vitest'
import { decideGroup, type GroupState, type GroupDesired } from '../../../../src/subjects/accounts/group/decide.ts'
import { group } from '../../../../src/subjects/accounts/group/index.ts'
import { decodeProperties } from '../../../../src/resource-type/decode.ts'
import { testDecisionCases } from '../../decision-cases.ts'

/** A group with two members; a case says what is otherwise. */
function stateOf({ group: own, ...others }: Readonly<Record<string, unknown>>): GroupState {
  const origin = { file: '/etc/group', line: 3 }
  return {
    group: { name: 'staff', gid: 50, members: ['ann', 'bob'], origin, isInGroup: true, ...(own as object | undefined) },
    hidden: [],
    shadow: { kind: 'known', value: { members: [], administrators: [], hasPassword: false } },
    primaryOf: ['cleo'],
    guarded: [],
    ...others,
  } as unknown as GroupState
}

testDecisionCases('accounts/group', {
  wanted: Object.keys(group.properties).filter((name) => name !== 'name'),
  observed: ['group', 'hidden', 'twins', 'shadow', 'primaryOf', 'guarded', 'nowhere'],
  decide(wanted, { nowhere, ...observed }) {
    const decoded = decodeProperties(group, { name: 'staff', ...wanted })
    if (!decoded.ok) throw new Error(JSON.stringify(decoded))
    return decideGroup(
      decoded.values as unknown as GroupDesired,
      nowhere === true
        ? { kind: 'absent', context: undefined }
        : { kind: 'present', state: stateOf(observed), context: undefined },
    )
  },
})

test('a group that must be absent cannot have gid, members or primary_of', () => {
  const problems = group.rules.flatMap((rule) => rule.check({ name: 'staff', ensure: 'absent', gid: 5 }) ?? [])
  expect(problems).toEqual(['a group that must be absent cannot have gid, members or primary_of'])
})
