import { known, type Observation, present, type Reading } from '../../../model/observation.ts'
import { ACCOUNTS } from '../subject.ts'
import type { Target } from '../../../host/target.ts'
import { asksForHomes } from './homes.ts'
import { selectUsers } from './select.ts'
import type { AccountsState, AccountsWanted, Home, HomeEntry } from './wanted.ts'

type Machine = Pick<Target, 'open' | 'lstat' | 'stat' | 'probe'>

/** Looks at all accounts, and at the homes of those that are meant where a rule is about homes. */
export function observeAccounts(machine: Machine, wanted: AccountsWanted): Observation<AccountsState> {
  const accounts = machine.open(ACCOUNTS)
  const set = accounts.read()
  if (set.kind === 'unknown') return set
  const users = selectUsers(wanted, set.value, accounts)
  const homes = new Map<string, Reading<Home>>()
  if (asksForHomes(wanted) && users.kind === 'known') {
    for (const { home } of users.value) if (!homes.has(home)) homes.set(home, readHome(machine, wanted, home))
  }
  const today = Math.floor(Date.now() / DAY_MS)
  return present({ set: set.value, users, homes, guarded: accounts.guarded(), today })
}

const DAY_MS = 24 * 60 * 60 * 1000

function readHome(machine: Machine, wanted: AccountsWanted, path: string): Reading<Home> {
  // Whoever logs in stays in the root directory then.
  if (!path.startsWith('/')) return known({ kind: 'absent' })
  const itself = machine.lstat(path)
  if (itself.kind === 'unknown') return itself
  const seen = machine.stat(path)
  if (seen.kind === 'unknown') return seen
  if (itself.kind === 'absent' || seen.kind === 'absent') return known({ kind: 'absent' })
  const asksForEntries = [
    wanted.home_excludes,
    wanted.dot_files_owner,
    wanted.dot_files_group,
    wanted.dot_files_mode,
  ].some((each) => each !== undefined)
  const entries = asksForEntries && seen.state.kind === 'directory' ? readEntries(machine, wanted, path) : known([])
  return known({ kind: 'present', stat: seen.state, isLink: itself.state.kind === 'symlink', entries })
}

function readEntries(
  { probe, lstat }: Machine,
  { home_excludes: excluded = [], dot_files: named = [] }: AccountsWanted,
  home: string,
): Reading<readonly HomeEntry[]> {
  const names = probe.list(home)
  if (names.kind === 'unknown') return names
  const entries: HomeEntry[] = []
  for (const name of names.value ?? []) {
    if (!name.startsWith('.') && !excluded.includes(name) && !named.includes(name)) continue
    const seen = lstat(`${home}/${name}`)
    if (seen.kind === 'unknown') return seen
    if (seen.kind === 'present') entries.push({ name, stat: seen.state })
  }
  return known(entries)
}
