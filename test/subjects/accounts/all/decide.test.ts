import { expect, test } from 'vitest'
import {
  decideAccounts,
  type AccountsState,
  type AccountsDesired,
} from '../../../../src/subjects/accounts/all/decide.ts'
import { accounts } from '../../../../src/subjects/accounts/all/index.ts'
import { selectUsers } from '../../../../src/subjects/accounts/all/select.ts'
import { known } from '../../../../src/model/observation.ts'
import { decodeProperties } from '../../../../src/resource-type/decode.ts'
import { testDecisionCases } from '../../decision-cases.ts'

type Fields = Readonly<Record<string, unknown>>

/** An account in short: the third account stands in line 3, and so on. */
function userOf(fields: Fields, index: number): Fields {
  const { password, ageing, secret, ...others } = fields
  return {
    uid: 1000 + index,
    gid: 100,
    comment: '',
    home: `/home/${String(fields['name'])}`,
    shell: '/bin/sh',
    origin: { file: '/etc/passwd', line: index + 1 },
    isInPasswd: true,
    isShadowed: true,
    secret: secret ?? known({ password: password ?? { class: 'set', scheme: 'sha512' }, ageing: ageing ?? AGEING }),
    ...others,
  }
}

const AGEING = { lastChange: 20_000, min: 0, max: 90, warn: 7 }

function groupOf(fields: Fields, index: number): Fields {
  return { members: [], origin: { file: '/etc/group', line: index + 1 }, isInGroup: true, ...fields }
}

const STAT = { kind: 'directory', mode: 0o750, uid: 1000, gid: 100 }

function homeOf(home: unknown): unknown {
  const { stat, entries = [], kind, ...others } = home as Fields
  if (kind === 'absent' || kind === 'unknown') return kind === 'absent' ? known({ kind }) : home
  const listed = Array.isArray(entries)
    ? known(
        entries.map(({ name, target, ...attributes }) => ({
          name,
          stat: { ...STAT, kind: 'file', ...attributes },
          ...(target !== undefined && { target: { ...STAT, kind: 'file', ...target } }),
        })),
      )
    : entries
  return known({ kind: 'present', isLink: false, ...others, stat: { ...STAT, ...(stat as object) }, entries: listed })
}

testDecisionCases('accounts/all', {
  wanted: Object.keys(accounts.properties).filter((name) => name !== 'name'),
  observed: ['users', 'groups', 'homes', 'notAsked', 'leftOut', 'guarded', 'shells', 'uidMin'],
  decide(given, { users = [], groups = [{ name: 'people', gid: 100 }], homes = {}, guarded = [0], ...observed }) {
    const decoded = decodeProperties(accounts, { name: 'x', ...given })
    if (!decoded.ok) throw new Error(JSON.stringify(decoded))
    const wanted = decoded.values as unknown as AccountsDesired
    const set = {
      users: (users as readonly Fields[]).map(userOf),
      groups: (groups as readonly Fields[]).map(groupOf),
      notAsked: observed['notAsked'] ?? [],
      leftOut: observed['leftOut'] ?? [],
    } as unknown as AccountsState['set']
    const machine = {
      shells: () => (observed['shells'] ?? known(['/bin/sh', '/bin/bash', '/usr/sbin/nologin'])) as never,
      uidMin: () => (observed['uidMin'] ?? known(1000)) as never,
    }
    const state = {
      set,
      users: selectUsers(wanted, set, machine),
      lists: new Map(),
      homes: new Map(Object.entries(homes as Fields).map(([path, home]) => [path, homeOf(home)])),
      guarded,
      today: 20_050,
    } as unknown as AccountsState
    return decideAccounts(wanted, { kind: 'present', state, context: undefined })
  },
})

test.each([
  [{}, 'sets no requirement'],
  [{ unique: ['gid'] }, 'accounts may share a gid: set "of: groups", or use "uid"'],
  [{ of: 'groups', password: 'set' }, 'groups have no "password"'],
  [{ of: 'groups', unique: ['name'], who: 'people' }, '"who" does not apply to groups: omit it'],
  [{ of: 'groups', unique: ['uid'] }, 'groups have no uid: use "gid"'],
  [{ shadowed: false }, 'can only be true: otherwise omit it'],
])('a policy that wants %j is refused', (wanted, message) => {
  const decoded = decodeProperties(accounts, { name: 'x', ...wanted })
  expect(decoded).toMatchObject({ ok: false, violations: [{ message }] })
})

test('there is always an answer to which accounts there are', () => {
  const wanted = { name: 'x', of: 'users', who: 'all', shadowed: true } as const
  expect(() => decideAccounts(wanted, { kind: 'absent', context: undefined })).toThrow('accounts always exist')
})
