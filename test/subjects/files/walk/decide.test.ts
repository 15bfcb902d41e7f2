import { expect, test } from 'vitest'
import { known } from '../../../../src/model/observation.ts'
import { decodeProperties } from '../../../../src/resource-type/decode.ts'
import { decideFiles, type FilesState, type FilesDesired } from '../../../../src/subjects/files/walk/decide.ts'
import type { EntryAccounts } from '../../../../src/subjects/files/walk/entry-rules.ts'
import { files } from '../../../../src/subjects/files/walk/index.ts'
import { readAccounts, type DesiredAccounts } from '../../../../src/subjects/shared/accounts.ts'
import { testDecisionCases } from '../../decision-cases.ts'

const name = '/srv'
const ids = new Map([
  ['root', 0],
  ['adm', 4],
])

function accounts(written: FilesDesired['owner']): DesiredAccounts | undefined {
  if (written === undefined) return undefined
  return readAccounts(written, (account) => known(ids.get(account) ?? null)) as DesiredAccounts
}

testDecisionCases('files/walk', {
  wanted: [
    'named_by',
    'kinds',
    'with_mode',
    'mode',
    'owner',
    'group',
    'kind',
    'only',
    'unowned',
    'capabilities',
    'if_absent',
  ],
  observed: ['kind', 'offenders', 'count', 'leftOut', 'unread', 'missing', 'strays'],
  decide: (properties, observed) => {
    const wanted = { name, file_systems: 'own', timeout: 1000, if_absent: 'drift', ...properties } as FilesDesired
    const context: EntryAccounts = { owner: accounts(wanted.owner), group: accounts(wanted.group) }
    if (Object.keys(observed).length === 0) return decideFiles(wanted, { kind: 'absent', context })
    const nothing: FilesState = {
      kind: 'directory',
      offenders: [],
      count: 1,
      leftOut: [],
      unread: [],
      missing: [],
      strays: [],
    }
    const decision = decideFiles(wanted, { kind: 'present', state: { ...nothing, ...observed }, context })
    const { plan } = decision
    if (plan.kind !== 'act') return decision
    // Who is accepted stands in the policy; the rest of the action is what can be wrong.
    return { ...decision, plan: { ...plan, action: plan.action.changes } }
  },
})

test('of very many places that were not entered or could not be looked at, the first are named and the rest is counted', () => {
  const places = Array.from({ length: 22 }, (_, index) => ({ path: `m${index}`, why: 'nfs4' }))
  const trouble = places.map(({ path }) => ({ kind: 'unknown', reason: 'timeout', detail: path }) as const)
  const wanted = { name, file_systems: 'own', timeout: 1000, if_absent: 'drift', unowned: false } as const
  const state: FilesState = {
    kind: 'directory',
    offenders: [],
    count: 1,
    leftOut: places,
    unread: trouble,
    missing: [],
    strays: [],
  }
  const context = { owner: undefined, group: undefined }
  const { messages = [], unknown } = decideFiles(wanted, { kind: 'present', state, context })
  expect(messages.join()).toMatch(/^not entered: m0 \(nfs4\), .*m19 \(nfs4\), 2 more$/)
  expect(unknown.map(({ detail }) => detail).slice(-2)).toEqual(['m19', 'and 2 other paths'])
  expect(unknown.every(({ property }) => files.drifts.includes(property))).toBe(true)
})

test.each([
  ['nothing is compared', {}],
  ['nothing is accepted but what has no owner', { unowned: true }],
  ['only what gives capabilities', { capabilities: true }],
  ['a pattern that begins at the root', { mode: '0644', include: ['/etc/x'] }],
  ['a pattern with an empty name', { mode: '0644', exclude: ['etc//x'] }],
  ['a pattern that leads out', { mode: '0644', exclude: ['../x'] }],
  ['directories within a name', { mode: '0644', include: ['a**'] }],
  ['braces', { mode: '0644', include: ['*.{log,txt}'] }],
  ['a set as shells negate it', { mode: '0644', exclude: ['[!a]'] }],
  ['a set without an end', { mode: '0644', include: ['[a'] }],
  ['an invalid mode', { mode: '0648' }],
  ['an invalid mode in an acceptance', { mode: { at_most: '99' } }],
  ['an invalid kind', { kind: 'door' }],
  ['an invalid kind in an acceptance', { kind: { none_of: ['fifo', 'door'] } }],
  ['invalid kinds', { mode: '0644', kinds: ['door'] }],
  ['paths named by a configuration, below a directory', { mode: '0644', named_by: 'auditd' }],
  ['paths named by a configuration, with exceptions', { name: '/', mode: '0644', named_by: 'auditd', exclude: ['x'] }],
  ['paths named by a configuration, by depth', { name: '/', mode: '0644', named_by: 'auditd', depth: 1 }],
  ['paths named by an unsupported program', { name: '/', mode: '0644', named_by: 'emacs' }],
])('%s is refused', (_, properties) => {
  expect(decodeProperties(files, { name, ...properties }).ok).toBe(false)
})

test.each([
  { name: '/', mode: '0644', named_by: 'rsyslog' },
  { mode: { at_most: '7775' }, with_mode: { at_least: '0002' } },
  { kind: { none_of: ['block-device', 'character-device'] } },
  { unowned: false, include: ['**/[bw]tmp', '*.log', 'a/**'], exclude: [String.raw`\{a\}`] },
])('%j is accepted', (properties) => {
  expect(decodeProperties(files, { name, ...properties })).toMatchObject({ ok: true })
})
