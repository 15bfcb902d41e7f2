import type { Remediator } from '../../../host/remediator.ts'
import type { ApplyOutcome } from '../../../model/decision.ts'
import type { ExportsOf } from '../../../model/exported.ts'
import type { Seen } from '../../../model/observation.ts'
import { defineExports, defineResource, type ResourceType } from '../../../resource-type/define.ts'
import { narrowedTo } from '../../shared/lists.ts'
import { ACCOUNTS } from '../subject.ts'
import { type AccountsState, type AccountsDesired, decideAccounts } from './decide.ts'
import { observeAccounts } from './observe.ts'
import { FILTERS, properties, REQUIREMENTS } from './properties.ts'
import { selectGroups } from './select.ts'
import type { AccountsAction } from './wanted.ts'

/** What later resources can read. */
const exports = defineExports({
  names: { kind: 'text', summary: 'Names of the selected accounts or groups, comma-separated.' },
  count: { kind: 'integer', summary: 'Number of selected accounts or groups.' },
})

/** Rules about all accounts or groups of the machine itself, or those among them that are meant. */
export const accounts: ResourceType = defineResource({
  type: 'accounts',
  summary: 'All accounts or groups: ids, passwords, password ages, shells and homes.',
  properties,
  rules: [
    {
      summary: `Sets at least one of ${REQUIREMENTS.map((name) => `\`${name}\``).join(', ')}.`,
      reads: REQUIREMENTS,
      check: (given) => (REQUIREMENTS.some((name) => given[name] !== undefined) ? undefined : 'sets no requirement'),
    },
    {
      summary: 'For groups, only `unique`, `only`, `where_gid` and `except` apply.',
      reads: ['of', 'who', 'unique', ...REQUIREMENTS, ...FILTERS],
      at: 'of',
      check: groupsProblem,
    },
    {
      summary: '`shadowed`, `primary_group_exists` and `home_exists` can only be `true`.',
      reads: ['shadowed', 'primary_group_exists', 'home_exists'],
      check({ shadowed, primary_group_exists: primary, home_exists: home }) {
        return [shadowed, primary, home].includes(false) ? 'can only be true: otherwise omit it' : undefined
      },
    },
  ],
  exports,
  drifts: [...REQUIREMENTS, 'access'],
  neverSecret: [],
  examples: [
    {
      title: 'root is the only account with UID 0, in any account database',
      yaml: `
        accounts:
          - only root is root:
              where_uid: 0
              only: [root]`,
    },
    {
      title: 'Names and UIDs are unique, and no password is empty',
      yaml: `
        accounts:
          - every account:
              unique: [name, uid]
              password: { not: empty }
              shadowed: true
              primary_group_exists: true`,
    },
    {
      title: 'Users own their home directories',
      yaml: `
        accounts:
          - homes:
              who: people
              home_exists: true
              home_owner: self
              home_mode: { at_most: "0750" }
              home_excludes: [.rhosts, .netrc, .forward]`,
    },
  ],
  platforms: ['linux'],
  observe: observeAccounts,
  decide: decideAccounts,
  apply: applyAccounts,
  exportsOf: exportsOfAccounts,
})

function groupsProblem(given: Partial<AccountsDesired>): string | undefined {
  const { of, who, unique = [] } = given
  if (of !== 'groups') {
    return unique.includes('gid') ? 'accounts may share a gid: set "of: groups", or use "uid"' : undefined
  }
  const others = [...REQUIREMENTS, ...FILTERS].filter((name) => !OF_GROUPS.includes(name))
  const said = others.find((name) => given[name] !== undefined)
  if (said !== undefined) return `groups have no "${said}"`
  if (who !== undefined && who !== 'all') return '"who" does not apply to groups: omit it'
  return unique.includes('uid') ? 'groups have no uid: use "gid"' : undefined
}

const OF_GROUPS: readonly string[] = ['unique', 'only', 'where_gid', 'except']

function exportsOfAccounts(wanted: AccountsDesired, observed: Seen<AccountsState>): ExportsOf<typeof exports> {
  if (observed.kind === 'absent') return {}
  const { set, users } = observed.state
  if (wanted.of === 'users' && users.kind === 'unknown') return {}
  const meant = wanted.of === 'groups' ? selectGroups(wanted, set) : users.kind === 'known' ? users.value : []
  return { names: meant.map(({ name }) => name).join(','), count: meant.length }
}

/** Does what was decided, one account after another, up to the first that fails. What has changed meanwhile stays as it is. */
async function applyAccounts(
  remediator: Pick<Remediator, 'open' | 'adjustAttributes' | 'setAccess'>,
  _wanted: unknown,
  { commands, attributes }: AccountsAction,
  { signal }: { readonly signal: AbortSignal },
): Promise<ApplyOutcome> {
  const changed = await remediator.open(ACCOUNTS).change(commands, signal)
  if (changed.kind === 'failed') return changed
  for (const { path, kind, seenMode, uid, gid, mode, acl } of attributes) {
    const outcome = await remediator.adjustAttributes(path, (now) =>
      now.kind === kind && now.mode === seenMode ? { uid, gid, mode, exact: true } : undefined,
    )
    if (outcome.kind === 'failed') return outcome
    if (acl === undefined) continue
    const listed = await remediator.setAccess(path, { acl: narrowedTo(mode, acl) })
    if (listed.kind === 'failed') return listed
  }
  return { kind: 'done' }
}
