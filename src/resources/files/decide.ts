import { join } from 'node:path'
import type { Acceptance } from '../../core/acceptance.ts'
import { countOf } from '../../core/count-of.ts'
import { type Decision, NO_PLAN, type Plan } from '../../core/decision.ts'
import { cannot, differences, missing } from '../../core/differences.ts'
import type { DecidedDrift, UnknownProperty } from '../../core/drift.ts'
import { showName } from '../../core/file-name.ts'
import type { Seen, Unknown } from '../../core/observation.ts'
import type { FileSystems, LeftOut } from '../../target/file-trees.ts'
import type { FileAttributes } from '../../target/remediator.ts'
import type { FileKind } from '../../target/target.ts'
import { KIND_WORDS } from '../shared/paths.ts'
import { notEntered, notLookedAt } from '../shared/trees.ts'
import { type EntryAccounts, entryRules, type EntryWanted, type SeenEntry } from './entry-rules.ts'

/** What a policy says: the properties that are observed, decided and applied. */
export interface FilesWanted extends EntryWanted {
  readonly name: string
  readonly include?: readonly string[] | undefined
  readonly exclude?: readonly string[] | undefined
  readonly depth?: number | undefined
  readonly file_systems: FileSystems
  readonly owner?: string | Acceptance<string> | undefined
  readonly group?: string | Acceptance<string> | undefined
  readonly if_absent: 'drift' | 'compliant'
  readonly timeout: number
}

/** An entry about which something is wrong, or not known. */
export interface Offender extends SeenEntry {
  /** Relative to the directory; `.` is the directory itself. */
  readonly path: string
}

/** What is there. */
export interface FilesState {
  /** What is at the path; only of a directory there is more to say. */
  readonly kind: FileKind
  readonly offenders: readonly Offender[]
  /** How many entries were looked at. */
  readonly count: number
  readonly leftOut: readonly LeftOut[]
  readonly unread: readonly Unknown[]
}

/** What a fix does. */
export interface FilesAction {
  readonly changes: readonly FilesChange[]
  readonly accounts: EntryAccounts
}

/** An entry that gets other attributes than it had when it was looked at. */
export interface FilesChange {
  readonly path: string
  readonly before: FileAttributes
  /** The capabilities that are taken away. */
  readonly capabilities?: string
}

/** Says of each offender what is wrong with it, and of the rest what was not looked at. */
export function decideFiles(wanted: FilesWanted, observed: Seen<FilesState, EntryAccounts>): Decision<FilesAction> {
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
  const drift = compared.flatMap(({ offender, drift: found }): readonly DecidedDrift[] =>
    found.map((each) => ({ ...each, path: showName(offender.path) })),
  )
  const wrong = compared.filter(({ drift: found }) => found.length > 0).map(({ offender }) => offender)
  const found = drift.length === 0 ? [] : [`${wrong.length} of ${countOf(count, 'entry', 'entries')} below ${name}`]
  const none = count === 0 ? [`nothing below ${name} is what the resource is about`] : []
  return {
    ensure: { desired: 'present', observed: 'present' },
    drift,
    unknown: [...notLookedAt('entries', unread), ...once(compared.flatMap(({ unknown }) => unknown))],
    plan: drift.length === 0 ? NO_PLAN : planFor(wanted, wrong, observed.context),
    messages: [...found, ...none, ...notEntered(leftOut)],
  }
}

function decideAbsent({ name, if_absent: ifAbsent }: FilesWanted): Decision<FilesAction> {
  if (ifAbsent === 'drift') {
    const reason = `${name} does not exist; where that is fine, say if_absent: compliant`
    return missing({ obstacles: [cannot(reason, { missing: name })] })
  }
  const ensure = { desired: 'present', observed: 'absent' }
  return differences([], { ensure, messages: [`${name} does not exist`] })
}

/** Many entries have the same owner. */
function once(unknown: readonly UnknownProperty[]): readonly UnknownProperty[] {
  return [...new Map(unknown.map((each) => [`${each.property} ${each.detail}`, each])).values()]
}

function planFor(wanted: FilesWanted, wrong: readonly Offender[], accounts: EntryAccounts): Plan<FilesAction> {
  const rules = entryRules(wanted, accounts)
  const changes = wrong.flatMap(({ path, kind, mode, owner, group, gives }): readonly FilesChange[] => {
    const before = { uid: owner.id, gid: group.id, mode }
    const given = gives?.kind === 'known' && gives.value !== null ? { capabilities: gives.value } : {}
    const isLeft = rules.settle({ kind, ...before }) === undefined && !('capabilities' in given)
    return isLeft ? [] : [{ path, before, ...given }]
  })
  const [first, ...others] = [...new Set(wrong.flatMap(rules.obstacles))].map((reason) => cannot(reason))
  if (changes.length === 0 && first !== undefined) return { kind: 'refuse', obstacles: [first, ...others] }
  const count = countOf(changes.length, 'path')
  const object =
    changes.length === 1 ? showName(changes.map(({ path }) => path).join()) : `${count} below ${wanted.name}`
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
