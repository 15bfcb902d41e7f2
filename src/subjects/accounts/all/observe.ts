import { dayOf } from '../../../model/duration.ts'
import { known, type Observation, present, type Reading } from '../../../model/observation.ts'
import { readChronyUser } from '../../../settings/chrony.ts'
import { recordFiles } from '../../../settings/files.ts'
import { readNginxUser } from '../../../settings/nginx/index.ts'
import { ACCOUNTS } from '../subject.ts'
import type { HasFiles, FileStat, Target } from '../../../host/target.ts'
import type { Awaitable } from '../../../resource-type/define.ts'
import { mayListTooMuch, readLists } from '../../shared/lists.ts'
import { asksForHomes, listedOf } from './homes.ts'
import { selectUsers } from './select.ts'
import type { AccountsState, AccountsDesired, Home, HomeEntry } from './wanted.ts'

type Machine = Pick<Target, 'open' | 'probe' | 'access' | 'names'> &
  HasFiles<'lstat' | 'readHead' | 'stat' | 'realPath'>

const NAMED_BY = { chrony_user: readChronyUser, nginx_user: readNginxUser } as const

/** Looks at all accounts, and at the homes of those that are meant where a rule is about homes. */
export function observeAccounts(machine: Machine, wanted: AccountsDesired): Awaitable<Observation<AccountsState>> {
  const accounts = machine.open(ACCOUNTS)
  const set = accounts.read()
  if (set.kind === 'unknown') return set
  const read = wanted.named_by && NAMED_BY[wanted.named_by]
  const named = read?.(recordFiles(machine).files) ?? known(undefined)
  if (named.kind === 'unknown') return named
  const selected = selectUsers(wanted, set.value, accounts)
  const users =
    selected.kind === 'unknown'
      ? selected
      : known(selected.value.filter(({ name }) => named.value?.includes(name) ?? true))
  const homes = new Map<string, Reading<Home>>()
  if (asksForHomes(wanted) && users.kind === 'known') {
    for (const { home } of users.value) if (!homes.has(home)) homes.set(home, readHome(machine, wanted, home))
  }
  const today = dayOf(Date.now())
  const conclude = (lists: AccountsState['lists']): Observation<AccountsState> =>
    present({ set: set.value, users, homes, lists, today })
  const paths = [...homes].flatMap(([path, home]) => (home.kind === 'known' ? openPaths(wanted, path, home.value) : []))
  return paths.length === 0 ? conclude(new Map()) : readLists(machine, paths).then(conclude)
}

/** Where a list may give more than the mode that is wanted. */
function openPaths(wanted: AccountsDesired, path: string, home: Home): readonly string[] {
  if (home.kind === 'absent' || home.stat.kind !== 'directory') return []
  const isOpen = (property: 'home_mode' | 'dot_files_mode', stat: FileStat): boolean => {
    const listed = stat.kind === 'symlink' ? undefined : listedOf(wanted, property, stat)
    return listed !== undefined && mayListTooMuch(listed)
  }
  const entries = home.entries.kind === 'known' ? home.entries.value : []
  return [
    ...(isOpen('home_mode', home.stat) ? [path] : []),
    ...entries.filter(({ stat }) => isOpen('dot_files_mode', stat)).map(({ name }) => `${path}/${name}`),
  ]
}

function readHome(machine: Machine, wanted: AccountsDesired, path: string): Reading<Home> {
  // A user who logs in stays in the root directory then.
  if (!path.startsWith('/')) return known({ kind: 'absent' })
  const itself = machine.files.lstat(path)
  if (itself.kind === 'unknown') return itself
  const seen = machine.files.stat(path)
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
  { probe, files: { lstat, stat } }: Machine,
  { home_excludes: excluded = [], dot_files: named = [] }: AccountsDesired,
  home: string,
): Reading<readonly HomeEntry[]> {
  const names = probe.list(home)
  if (names.kind === 'unknown') return names
  const entries: HomeEntry[] = []
  for (const name of names.value ?? []) {
    if (!name.startsWith('.') && !excluded.includes(name) && !named.includes(name)) continue
    const seen = lstat(`${home}/${name}`)
    if (seen.kind === 'unknown') return seen
    if (seen.kind === 'absent') continue
    const led = seen.state.kind === 'symlink' ? stat(`${home}/${name}`) : undefined
    if (led?.kind === 'unknown') return led
    const target = led?.kind === 'present' && led.state.kind === 'file' ? { target: led.state } : {}
    entries.push({ name, stat: seen.state, ...target })
  }
  return known(entries)
}
