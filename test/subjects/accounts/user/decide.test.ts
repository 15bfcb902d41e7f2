import { expect, test } from 'vitest'
import { decideUser, type UserState, type UserDesired } from '../../../../src/subjects/accounts/user/decide.ts'
import { user } from '../../../../src/subjects/accounts/user/index.ts'
import { decodeProperties } from '../../../../src/resource-type/decode.ts'
import { testDecisionCases } from '../../decision-cases.ts'

const GROUPS = [
  { name: 'root', gid: 0, members: [], origin: { file: '/etc/group', line: 1 }, isInGroup: true },
  { name: 'sudo', gid: 27, members: ['ann'], origin: { file: '/etc/group', line: 2 }, isInGroup: true },
  { name: 'staff', gid: 50, members: ['bob'], origin: { file: '/etc/group', line: 3 }, isInGroup: true },
  { name: 'people', gid: 100, members: [], origin: { file: '/etc/group', line: 4 }, isInGroup: true },
  { name: 'remote', gid: 200, members: ['ann'], origin: { file: '/etc/userdb/remote.group' }, isInGroup: false },
]

const AGEING = { lastChange: 20_000, min: 0, max: 90, warn: 7 }

/** Ann, 50 days after she changed her password; a case says what is otherwise. */
function stateOf(observed: Readonly<Record<string, unknown>>): UserState {
  const { account, password, ageing, ...others } = observed
  const own = account as Readonly<Record<string, unknown>> | undefined
  const secret = {
    kind: 'known',
    value: {
      password: password ?? { class: 'set', scheme: 'sha512' },
      ageing: ageing === null ? null : { ...AGEING, ...(ageing as object | undefined) },
    },
  }
  return {
    account: {
      name: 'ann',
      uid: 1000,
      gid: 100,
      comment: 'Ann',
      home: '/home/ann',
      shell: '/bin/sh',
      origin: { file: '/etc/passwd', line: 7 },
      isInPasswd: true,
      isShadowed: true,
      secret,
      ...own,
    },
    hidden: [],
    groups: GROUPS,
    isGuarded: false,
    hasShell: true,
    today: 20_050,
    ...others,
  } as unknown as UserState
}

testDecisionCases('accounts/user', {
  wanted: Object.keys(user.properties).filter((name) => name !== 'name'),
  observed: [
    'account',
    'password',
    'ageing',
    'filesOfGroup',
    'hidden',
    'isGuarded',
    'isAdministrator',
    'hasShell',
    'nowhere',
  ],
  decide(wanted, { nowhere, ...observed }) {
    const decoded = decodeProperties(user, { name: 'ann', ...wanted })
    if (!decoded.ok) throw new Error(JSON.stringify(decoded))
    return decideUser(
      decoded.values as unknown as UserDesired,
      nowhere === true
        ? { kind: 'absent', context: undefined }
        : { kind: 'present', state: stateOf(observed), context: undefined },
    )
  },
})

test.each(['-r', 'a:b', 'a b', '', 'a/b', 'a,b'])('%j is no name of an account', (name) => {
  expect(decodeProperties(user, { name }).ok).toBe(false)
})

test('an account that must be absent cannot have other properties', () => {
  const problems = user.rules.flatMap((rule) => rule.check({ name: 'ann', ensure: 'absent', shell: '/bin/sh' }) ?? [])
  expect(problems).toEqual(['an account that must be absent cannot have other properties'])
})
