import { join } from 'node:path'
import type { BeyondMode } from '../../../host/access.ts'
import { formatCapabilities, giveSomething } from '../../../host/capabilities.ts'
import type { EntryAttributes, EntryJudgement, TreeQuery, ListedEntry, TreeFinding } from '../../../host/file-trees.ts'
import { isPrivateKey } from '../../../host/signing/private-key.ts'
import type { HasFiles, Target, FileKind } from '../../../host/target.ts'
import { defined } from '../../../model/defined.ts'
import {
  absent,
  known,
  type Observation,
  present,
  type Reading,
  unknown,
  type Unknown,
} from '../../../model/observation.ts'
import { compilePatterns } from '../../../model/path-patterns.ts'
import type { Awaitable, ResourceContext } from '../../../resource-type/define.ts'
import { recordFiles } from '../../../settings/files.ts'
import type { FileProbe } from '../../../settings/look.ts'
import { acceptingToo, readServiceIds, type ServiceIds } from '../../accounts/service-accounts.ts'
import type { NamingProgram } from '../../settings/naming-programs.ts'
import { readAccounts, type DesiredAccounts } from '../../shared/accounts.ts'
import { namesOf } from '../../shared/lists.ts'
import { observeWay } from '../way.ts'
import type { EntryComparison, ObservedBeyond } from './beyond.ts'
import type { FilesState, FilesDesired, Offender } from './decide.ts'
import { type EntryAccounts, entryRules, type ObservedAccount, type ObservedEntry } from './entry-rules.ts'

type Machine = Pick<Target, 'probe' | 'trees' | 'access' | 'names' | 'open'> &
  HasFiles<'stat' | 'lstat' | 'realPath' | 'readHead'>

/** Walks the tree and collects entries with drift. */
export async function observeFiles(
  target: Machine,
  wanted: FilesDesired,
  { signal }: Pick<ResourceContext, 'signal'>,
): Promise<Observation<FilesState, EntryAccounts>> {
  const services = wanted.service_accounts === true ? readServiceIds(target) : known(NO_SERVICES)
  if (services.kind === 'unknown') return services
  const owner = await accountsFor(wanted.owner, (name) => target.names.userId(name), services.value.owner)
  if (owner?.ids.kind === 'unknown') return owner.ids
  const group = await accountsFor(wanted.group, (name) => target.names.groupId(name), services.value.group)
  if (group?.ids.kind === 'unknown') return group.ids
  const among = await accountsFor(wanted.with_group, (name) => target.names.groupId(name), [])
  if (among?.ids.kind === 'unknown') return among.ids
  const accounts = { owner, group, among, services: services.value }
  const look = createLook(target, wanted)
  const rules = entryRules(wanted, accounts)
  const judge = async (attributes: EntryAttributes): Promise<EntryJudgement> => {
    if (!rules.concerns(attributes)) return 'other'
    // The comparison needs the path.
    if (wanted.only !== undefined || rules.asksBeyond(attributes)) return 'listed'
    return isFine(rules.compare(await look(attributes))) ? 'fine' : 'listed'
  }
  const { named_by: program } = wanted
  const found =
    program === undefined
      ? await findInTree(target, wanted, { judge, signal })
      : await findNamed(target, program, { entry: judge, way: wayJudge(target, wanted, { look, owner }) })
  if (found.kind === 'unknown') return found
  if (found.kind === 'absent') return absent(accounts)
  const { kind, entries, count, leftOut, missing, strays } = found.state
  const unread = [...found.state.unread]
  const asked = entries.filter(rules.asksBeyond).map(({ path }) => path)
  const beyond = await readBeyond(target, wanted.name, asked, signal)
  const offenders: Offender[] = []
  for (const { path, kind: entryKind, mode, uid, gid, way } of entries) {
    const entry = await look({ kind: entryKind, mode, uid, gid })
    const offender = { path, ...entry, ...defined({ beyond: beyond.get(path), way }) }
    if (isFine(rules.compare(offender))) continue
    const holds = wanted.holds === undefined ? known(true) : readHolds(target, offender, wanted.name)
    if (holds.kind === 'unknown') unread.push(holds)
    else if (holds.value) offenders.push(offender)
  }
  return present({ kind, offenders, count, leftOut, unread, missing, strays }, accounts)
}

/** The bytes of a file that are searched for a private key. */
const SEARCHED_BYTES = 64 * 1024

function readHolds(target: Machine, { kind, path }: Offender, directory: string): Reading<boolean> {
  if (kind !== 'file') return known(false)
  const head = target.files.readHead(join(directory, path), SEARCHED_BYTES)
  return head.kind === 'unknown' ? head : known(isPrivateKey(head.value))
}

const NO_SERVICES: ServiceIds = { owner: [], group: [], groups: [] }

/** Checks the path to a named file if the policy restricts who may change it. */
function wayJudge(
  target: Machine,
  { access, mode, group, owner: wantedOwner }: FilesDesired,
  { look, owner }: { look: (entry: EntryAttributes) => Promise<ObservedEntry>; owner: DesiredAccounts | undefined },
): NamedJudge['way'] {
  const isAsked = access !== 'any' && (mode ?? group ?? wantedOwner) !== undefined
  return async (path, entry) => (isAsked ? observeWay(target, path, await look(entry), { owner }) : known([]))
}

/** Entries below the directory; for another object only its kind. */
async function findInTree(
  target: Machine,
  wanted: FilesDesired,
  { judge, signal }: Pick<TreeQuery, 'judge' | 'signal'>,
): Promise<Observation<NamedFinding>> {
  const seen = target.files.stat(wanted.name)
  if (seen.kind !== 'present') return seen.kind === 'absent' ? absent() : seen
  const { kind } = seen.state
  const named = { kind, missing: [], strays: [] }
  if (kind !== 'directory') return present({ ...named, entries: [], count: 0, leftOut: [], unread: [] })
  const found = await target.trees.find({
    directory: wanted.name,
    depth: wanted.depth ?? Infinity,
    fileSystems: wanted.file_systems,
    include: wanted.include === undefined ? undefined : compilePatterns(wanted.include),
    exclude: compilePatterns(wanted.exclude ?? []),
    timeoutMs: wanted.timeout,
    signal,
    judge,
  })
  return found.kind === 'present' ? present({ ...named, ...found.state }) : found
}

function isFine({ drift, unknown: unread, warnings }: EntryComparison): boolean {
  return drift.length === 0 && unread.length === 0 && warnings.length === 0
}

/** Number of entries per batch; the walk can be interrupted between batches. */
const ENTRIES_AT_ONCE = 2000

/** Reads access beyond the modes. Skips an entry that disappears meanwhile. */
async function readBeyond(
  target: Pick<Machine, 'access' | 'files' | 'names'>,
  directory: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Reading<ObservedBeyond>>> {
  const found = new Map<string, Reading<ObservedBeyond>>()
  for (let start = 0; start < paths.length; start += ENTRIES_AT_ONCE) {
    const some = paths.slice(start, start + ENTRIES_AT_ONCE)
    const places = some.map((path) => join(directory, path))
    const beyond = signal.aborted ? [] : await target.access.beyondMode(places)
    for (const [index, path] of some.entries()) {
      const seen =
        beyond[index] ?? unknown('timeout', 'interrupted before access control lists and capabilities were read')
      const isGone = seen.kind === 'unknown' && target.files.lstat(places[index] ?? '').kind === 'absent'
      found.set(path, isGone ? known(NOTHING_BEYOND) : beyondOf(seen, target.names))
    }
  }
  return found
}

const NOTHING_BEYOND: ObservedBeyond = {
  acl: undefined,
  capabilities: null,
  names: { users: new Map(), groups: new Map() },
}

function beyondOf(seen: Reading<BeyondMode>, accounts: Machine['names']): Reading<ObservedBeyond> {
  if (seen.kind === 'unknown') return seen
  const { acl, capabilities } = seen.value
  return known({
    acl,
    capabilities: capabilities !== undefined && giveSomething(capabilities) ? formatCapabilities(capabilities) : null,
    names: namesOf(acl?.named ?? [], accounts),
  })
}

async function accountsFor(
  written: FilesDesired['owner'],
  lookUp: (name: string) => Awaitable<Reading<number | null>>,
  others: readonly number[],
): Promise<DesiredAccounts | undefined> {
  return written === undefined ? undefined : acceptingToo(await readAccounts(written, lookUp), others)
}

/** Reads owners of entries. There are many entries and few owners, so each owner is looked up once. */
function createLook(target: Machine, { unowned }: FilesDesired): (entry: EntryAttributes) => Promise<ObservedEntry> {
  const users = new Map<number, Awaitable<ObservedAccount>>()
  const groups = new Map<number, Awaitable<ObservedAccount>>()
  const isAsked = unowned === false
  const user = async (id: number): Promise<ObservedAccount> => {
    const name = target.names.userName(id)
    return isAsked ? { id, name, exists: hasName(await target.names.findUserName(id)) } : { id, name }
  }
  const group = async (id: number): Promise<ObservedAccount> => {
    const name = target.names.groupName(id)
    return isAsked ? { id, name, exists: hasName(await target.names.findGroupName(id)) } : { id, name }
  }
  return async ({ kind, mode, uid, gid }) => ({
    kind,
    mode,
    owner: await cachedAccount(users, uid, user),
    group: await cachedAccount(groups, gid, group),
  })
}

function hasName(name: Reading<string | null>): Reading<boolean> {
  return name.kind === 'unknown' ? name : known(name.value !== null)
}

function cachedAccount(
  accounts: Map<number, Awaitable<ObservedAccount>>,
  id: number,
  ask: (id: number) => Promise<ObservedAccount>,
): Awaitable<ObservedAccount> {
  const found = accounts.get(id) ?? ask(id)
  accounts.set(id, found)
  return found
}

/** Checks of named files: attributes, and users who can replace them. */
interface NamedJudge {
  readonly entry: TreeQuery['judge']
  readonly way: (path: string, attributes: EntryAttributes) => Awaitable<Reading<readonly string[]>>
}

/** Named file, with the problems on its path. */
interface NamedEntry extends ListedEntry {
  readonly way?: readonly string[]
}

/** Result of observing a tree, or the files that a configuration names. */
interface NamedFinding extends TreeFinding {
  readonly entries: readonly NamedEntry[]
  /** Kind of the object at the path of the policy; with `named_by`, the root directory. */
  readonly kind: FileKind
  /** Paths that do not exist. */
  readonly missing: readonly string[]
  /** Values that are not absolute paths. */
  readonly strays: readonly string[]
}

/** Observes the files that the configuration of a program names, following links; absent if the program is not installed. */
async function findNamed(
  target: FileProbe,
  program: NamingProgram,
  judge: NamedJudge,
): Promise<Observation<NamedFinding>> {
  const { namedBy } = await import('../../settings/named-by.ts')
  const named = namedBy(program, recordFiles(target).files)
  if (named.kind === 'unknown') return named
  if (named.value === null) return absent()
  const { paths, strays, unclear } = named.value
  const unread: Unknown[] = [...unclear]
  const missing: string[] = []
  const looked = new Map<string, EntryJudgement>()
  const entries: NamedEntry[] = []
  for (const path of paths) {
    const real = target.files.realPath(path)
    const seen = real.kind === 'known' && real.value !== null ? target.files.stat(real.value) : real
    if (seen.kind === 'unknown') unread.push(seen)
    else if (real.kind !== 'known' || real.value === null || seen.kind !== 'present') missing.push(path)
    else if (!looked.has(real.value)) {
      const { kind, mode, uid, gid } = seen.state
      const attributes = { kind, mode, uid, gid }
      const judgement = await judge.entry(attributes)
      looked.set(real.value, judgement)
      const way = judgement === 'other' ? known([]) : await judge.way(path, attributes)
      if (way.kind === 'unknown') unread.push(way)
      const found = way.kind === 'known' && way.value.length > 0 ? { way: way.value } : {}
      if (judgement === 'listed' || 'way' in found)
        entries.push({ path: real.value.slice(1) || '.', ...attributes, ...found })
    }
  }
  const count = [...looked.values()].filter((judgement) => judgement !== 'other').length
  return present({ kind: 'directory', entries, count, leftOut: [], unread, missing, strays })
}
