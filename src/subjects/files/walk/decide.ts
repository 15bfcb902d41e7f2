import { join } from 'node:path'
import type { Acceptance } from '../../../model/acceptance.ts'
import { defined } from '../../../model/defined.ts'
import { countOf } from '../../../model/count-of.ts'
import { type Decision, NO_PLAN, type Plan } from '../../../model/decision.ts'
import { cannot, differences, missing } from '../../../model/differences.ts'
import type { DecidedDrift, UnknownProperty } from '../../../model/drift.ts'
import { showName } from '../../../model/file-name.ts'
import type { Seen, Unknown } from '../../../model/observation.ts'
import type { NamingProgram } from '../../settings/naming-programs.ts'
import type { Acl } from '../../../host/acl.ts'
import type { FileSystems, LeftOut } from '../../../host/file-trees.ts'
import type { FileAttributes } from '../../../host/remediator.ts'
import type { FileKind } from '../../../host/target.ts'
import { accountName } from '../../shared/accounts.ts'
import { KIND_WORDS } from '../../shared/paths.ts'
import { notEntered, notLookedAt } from '../../shared/trees.ts'
import { type EntryAccounts, entryRules, type EntryDesired, type ObservedEntry } from './entry-rules.ts'

/** Properties of a policy that are observed, decided and applied. */
export interface FilesDesired extends EntryDesired {
  readonly name: string
  readonly include?: readonly string[] | undefined
  readonly exclude?: readonly string[] | undefined
  readonly depth?: number | undefined
  readonly file_systems: FileSystems
  readonly named_by?: NamingProgram | undefined
  readonly holds?: 'private_key' | undefined
  readonly with_group?: string | Acceptance<string> | undefined
  readonly owner?: string | Acceptance<string> | undefined
  readonly group?: string | Acceptance<string> | undefined
  readonly service_accounts?: boolean | undefined
  readonly if_absent: 'drift' | 'compliant'
  readonly timeout: number
}

/** Entry with drift or an unknown property. */
export interface Offender extends ObservedEntry {
  /** Relative to the directory; `.` is the directory itself. */
  readonly path: string
}

export interface FilesState {
  /** Kind of the object at the path; the other members are empty unless it is a directory. */
  readonly kind: FileKind
  readonly offenders: readonly Offender[]
  /** Number of examined entries. */
  readonly count: number
  readonly leftOut: readonly LeftOut[]
  readonly unread: readonly Unknown[]
  /** Paths that the configuration names and that do not exist. */
  readonly missing: readonly string[]
  /** Values in the configuration that are not absolute paths. */
  readonly strays: readonly string[]
}

export interface FilesAction {
  readonly changes: readonly FilesChange[]
  readonly accounts: EntryAccounts
}

/** Entry that gets new attributes, with the observed ones. */
export interface FilesChange {
  readonly path: string
  readonly before: FileAttributes
  readonly capabilities?: string
  /** Access control list to set. */
  readonly acl?: Acl
}

/** Reports the drift of each offender, and the entries that were not examined. */
export function decideFiles(wanted: FilesDesired, observed: Seen<FilesState, EntryAccounts>): Decision<FilesAction> {
  const { name } = wanted
  if (observed.kind === 'absent') return decideAbsent(wanted)
  const { kind, offenders, count, leftOut, unread } = observed.state
  if (kind !== 'directory') {
    const ensure = { desired: 'directory', observed: KIND_WORDS[kind] }
    const different = { property: 'ensure', original: ensure.observed, desired: ensure.desired }
    return differences([different], { ensure, obstacles: [cannot(`${name} is a ${KIND_WORDS[kind]}`)] })
  }
  const rules = entryRules(wanted, observed.context)
  const compared = offenders.map((offender) => ({ offender, ...rules.compare(offender) }))
  const ofEntries = compared.flatMap(({ offender, drift: found }): readonly DecidedDrift[] =>
    found.map((each) => ({ ...each, path: showName(offender.path) })),
  )
  const named = decideNamed(wanted, observed.state)
  const drift = [...named.drift, ...ofEntries]
  const wrong = compared.filter(({ drift: found }) => found.length > 0).map(({ offender }) => offender)
  const where = placeOf(wanted)
  const found = wrong.length === 0 ? [] : [`${wrong.length} of ${countOf(count, 'entry', 'entries')} ${where}`]
  const none = count === 0 ? [`no matching entry ${where}`] : []
  return {
    ensure: { desired: 'present', observed: 'present' },
    drift,
    unknown: [...notLookedAt('entries', unread), ...removeDuplicates(compared.flatMap(({ unknown }) => unknown))],
    plan: drift.length === 0 ? NO_PLAN : planFor(wanted, { wrong, reasons: named.reasons }, observed.context),
    messages: [...found, ...none, ...named.messages, ...notEntered(leftOut)],
    warnings: [...new Set(compared.flatMap(({ warnings }) => warnings))],
  }
}

/** The programs as messages name them, by the first word of `NamingProgram`. */
const NAMERS: Readonly<Record<string, string>> = { aide: 'AIDE', docker: 'dockerd', postgresql: 'PostgreSQL' }

/** The source of the named paths, as a phrase for sentences. */
function namerOf(program: NamingProgram): string {
  if (program === 'root_path') return 'the PATH of root'
  if (program === 'log_links') return 'a link in /var/log'
  const word = program.replace(/_.*/, '')
  return `the configuration of ${NAMERS[word] ?? word}`
}

function placeOf({ name, named_by: program }: FilesDesired): string {
  return program === undefined ? `below ${name}` : `that ${namerOf(program)} names`
}

interface OfNames {
  readonly drift: readonly DecidedDrift[]
  readonly reasons: readonly string[]
  readonly messages: readonly string[]
}

/** Decides about missing and invalid paths in the configuration. */
function decideNamed({ if_absent: ifAbsent }: FilesDesired, { missing: gone, strays }: FilesState): OfNames {
  const places = gone.map(showName)
  const isDrift = ifAbsent === 'drift' && gone.length > 0
  const observed = strays.map((stray) => (stray === '' ? 'an empty one' : showName(stray))).join(', ')
  return {
    drift: [
      ...(strays.length === 0 ? [] : [{ property: 'named', desired: 'absolute paths', observed }]),
      ...(isDrift ? places : []).map((path) => ({
        property: 'ensure',
        path: path.slice(1),
        desired: 'present',
        observed: 'absent',
      })),
    ],
    reasons: [
      ...(strays.length === 0 ? [] : ['set absolute paths in the configuration']),
      ...(isDrift
        ? ['a fix does not create missing files; if their absence is acceptable, set if_absent: compliant']
        : []),
    ],
    messages: isDrift || gone.length === 0 ? [] : [`missing: ${places.join(', ')}`],
  }
}

function decideAbsent({ name, named_by: program, if_absent: ifAbsent }: FilesDesired): Decision<FilesAction> {
  if (program !== undefined) return decideUnnamed(namerOf(program), ifAbsent)
  if (ifAbsent === 'drift') {
    const reason = `${name} does not exist; if its absence is acceptable, set if_absent: compliant`
    return missing({ obstacles: [cannot(reason, { missing: name })] })
  }
  const ensure = { desired: 'present', observed: 'absent' }
  return differences([], { ensure, messages: [`${name} does not exist`] })
}

function decideUnnamed(namer: string, ifAbsent: FilesDesired['if_absent']): Decision<FilesAction> {
  const found = `${namer} does not exist, so it names no files`
  if (ifAbsent === 'drift')
    return missing({ obstacles: [cannot(`${found}; if its absence is acceptable, set if_absent: compliant`)] })
  return differences([], { ensure: { desired: 'present', observed: 'absent' }, messages: [found] })
}

/** Many entries have the same owner. */
function removeDuplicates(unknown: readonly UnknownProperty[]): readonly UnknownProperty[] {
  return [...new Map(unknown.map((each) => [`${each.property} ${each.detail}`, each])).values()]
}

const HOME_ADVICE = 'so a fix does not change it: remove it from the configuration'

/** Whether a fix would take a named path from a user who has, or could replace, what it lies in. */
function isOfUser(
  { named_by: program }: FilesDesired,
  { path, owner, way = [] }: Offender,
  settled: FileAttributes | undefined,
): boolean {
  const isTaken = settled !== undefined && settled.uid !== owner.id
  return program !== undefined && isTaken && (way.length > 0 || path.startsWith('home/'))
}

const GROUP_WRITE = 0o020

/** Whether a fix would stop a service from writing to what it can write through its group alone. */
function isWrittenByService(
  { services }: EntryAccounts,
  { kind, mode, owner, group }: Offender,
  settled: FileAttributes | undefined,
): boolean {
  const isWritable = (bits: number): boolean => (bits & GROUP_WRITE) !== 0
  const isTaken = settled !== undefined && isWritable(mode) && !(isWritable(settled.mode) && settled.gid === group.id)
  return (
    kind === 'file' &&
    isTaken &&
    services !== undefined &&
    services.groups.includes(group.id) &&
    !services.owner.includes(owner.id)
  )
}

interface Wrong {
  readonly wrong: readonly Offender[]
  /** Reasons why other drift is not fixed. */
  readonly reasons: readonly string[]
}

function planFor(wanted: FilesDesired, { wrong, reasons }: Wrong, accounts: EntryAccounts): Plan<FilesAction> {
  const rules = entryRules(wanted, accounts)
  const written = wrong.filter((each) => {
    const attributes = { kind: each.kind, mode: each.mode, uid: each.owner.id, gid: each.group.id }
    return isWrittenByService(accounts, each, rules.settle(attributes))
  })
  const ofServices = written.map(
    ({ path, group }) =>
      `a service may write to ${showName(path)} through its group ${accountName(group)}, so a fix does not change it: let the service own it`,
  )
  const fixable = wrong.filter((each) => !written.includes(each))
  const changes = fixable.flatMap((offender): readonly FilesChange[] => {
    const { path, kind, mode, owner, group, beyond } = offender
    const before = { uid: owner.id, gid: group.id, mode }
    const capabilities = wanted.capabilities === false && beyond?.kind === 'known' ? beyond.value.capabilities : null
    const acl = rules.settleList(offender)
    const settled = rules.settle({ kind, ...before })
    const isLeft = settled === undefined && capabilities === null && acl === undefined
    return isLeft || isOfUser(wanted, offender, settled)
      ? []
      : [{ path, before, ...defined({ capabilities: capabilities ?? undefined, acl }) }]
  })
  const taken = wrong.filter((each) => each.path.startsWith('home/') && !changes.some(({ path }) => path === each.path))
  const ofUsers =
    wanted.named_by === undefined ? [] : taken.map(({ path }) => `/${showName(path)} is in a home, ${HOME_ADVICE}`)
  const [first, ...others] = [
    ...new Set([...reasons, ...wrong.flatMap(rules.obstacles), ...ofUsers, ...ofServices]),
  ].map((reason) => cannot(reason))
  if (changes.length === 0 && first !== undefined) return { kind: 'refuse', obstacles: [first, ...others] }
  const count = countOf(changes.length, 'path')
  const object = changes.length === 1 ? showName(changes.map(({ path }) => path).join()) : `${count} ${placeOf(wanted)}`
  return {
    kind: 'act',
    action: { changes, accounts },
    text: `Would have set the attributes of ${count}`,
    effects: [{ kind: 'set-attributes', object }],
    touches: changes.map(({ path }) => join(wanted.name, path)),
    obstacles: [],
    ...(first === undefined ? {} : { leaves: [first, ...others] }),
  }
}
