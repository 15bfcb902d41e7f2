import { compilePatterns } from '../../core/path-patterns.ts'
import { absent, known, type Observation, present, type Reading } from '../../core/observation.ts'
import type { Awaitable, ResourceContext } from '../../resource-type/define.ts'
import type { EntryAttributes, EntryJudgement } from '../../target/file-trees.ts'
import type { Target } from '../../target/target.ts'
import { readAccounts, type WantedAccounts } from '../shared/accounts.ts'
import type { FilesState, FilesWanted } from './decide.ts'
import { type EntryAccounts, entryRules, type SeenAccount, type SeenEntry } from './entry-rules.ts'

type Machine = Pick<
  Target,
  'stat' | 'trees' | 'userId' | 'groupId' | 'findUserName' | 'findGroupName' | 'userName' | 'groupName'
>

/** Goes through the tree and takes along what is wrong in it. */
export async function observeFiles(
  target: Machine,
  wanted: FilesWanted,
  { signal }: Pick<ResourceContext, 'signal'>,
): Promise<Observation<FilesState, EntryAccounts>> {
  const owner = await accountsFor(wanted.owner, (name) => target.userId(name))
  if (owner?.ids.kind === 'unknown') return owner.ids
  const group = await accountsFor(wanted.group, (name) => target.groupId(name))
  if (group?.ids.kind === 'unknown') return group.ids
  const accounts = { owner, group }
  const seen = target.stat(wanted.name)
  if (seen.kind === 'unknown') return seen
  if (seen.kind === 'absent') return absent(accounts)
  const { kind } = seen.state
  if (kind !== 'directory') return present({ kind, offenders: [], count: 0, leftOut: [], unread: [] }, accounts)
  const look = createLook(target, wanted)
  const rules = entryRules(wanted, accounts)
  const found = await target.trees.find({
    directory: wanted.name,
    depth: wanted.depth ?? Infinity,
    fileSystems: wanted.file_systems,
    include: wanted.include === undefined ? undefined : compilePatterns(wanted.include),
    exclude: compilePatterns(wanted.exclude ?? []),
    timeoutMs: wanted.timeout,
    signal,
    async judge(attributes): Promise<EntryJudgement> {
      if (!rules.concerns(attributes)) return 'other'
      const { drift, unknown } = rules.compare(await look(attributes))
      return drift.length === 0 && unknown.length === 0 ? 'fine' : 'listed'
    },
  })
  if (found.kind === 'unknown') return found
  if (found.kind === 'absent') return absent(accounts)
  const { entries, count, leftOut, unread } = found.state
  const offenders = []
  for (const { path, ...attributes } of entries) offenders.push({ path, ...(await look(attributes)) })
  return present({ kind, offenders, count, leftOut, unread }, accounts)
}

function accountsFor(
  written: FilesWanted['owner'],
  lookUp: (name: string) => Awaitable<Reading<number | null>>,
): Awaitable<WantedAccounts | undefined> {
  return written === undefined ? undefined : readAccounts(written, lookUp)
}

/** Who owns entries. There are many entries and few owners, so each is asked for once. */
function createLook(target: Machine, { unowned }: FilesWanted): (entry: EntryAttributes) => Promise<SeenEntry> {
  const users = new Map<number, Awaitable<SeenAccount>>()
  const groups = new Map<number, Awaitable<SeenAccount>>()
  const isAsked = unowned === false
  const user = async (id: number): Promise<SeenAccount> => {
    const name = target.userName(id)
    return isAsked ? { id, name, exists: whether(await target.findUserName(id)) } : { id, name }
  }
  const group = async (id: number): Promise<SeenAccount> => {
    const name = target.groupName(id)
    return isAsked ? { id, name, exists: whether(await target.findGroupName(id)) } : { id, name }
  }
  return async ({ kind, mode, uid, gid }) => ({
    kind,
    mode,
    owner: await kept(users, uid, user),
    group: await kept(groups, gid, group),
  })
}

function whether(name: Reading<string | null>): Reading<boolean> {
  return name.kind === 'unknown' ? name : known(name.value !== null)
}

function kept(
  accounts: Map<number, Awaitable<SeenAccount>>,
  id: number,
  ask: (id: number) => Promise<SeenAccount>,
): Awaitable<SeenAccount> {
  const found = accounts.get(id) ?? ask(id)
  accounts.set(id, found)
  return found
}
