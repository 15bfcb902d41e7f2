import { dirname, join } from 'node:path'
import { known, type Reading, unknown } from '../../../model/observation.ts'
import type { Awaitable } from '../../../resource-type/define.ts'
import type { BeyondMode, InodeFlags } from '../../../host/access.ts'
import type { NamedEntry } from '../../../host/acl.ts'
import type { FileAttributes } from '../../../host/remediator.ts'
import type { FileStat, Target } from '../../../host/target.ts'
import type { Sight } from '../../shared/paths.ts'
import { afterFix, mayGiveMore } from './access.ts'
import { type AccountNames, namesOf } from '../../shared/lists.ts'
import { NOTHING_SEEN, type ObservedAccess } from './access-seen.ts'
import { type ObservedAttributes, settleAttributes, type DesiredAttributes } from './attributes.ts'
import type { FileState, FileDesired, Flagged } from './model.ts'
import { mayLetWrite, type ObservedStep, withLists } from '../way.ts'

/**
 * Reads access beyond owner, group and mode; undefined if the policy does not ask. Needs no process if root owns the path and
 * the mode excludes more access, which is the case for most resources.
 */
export function observeAccess(
  target: Target,
  { name, access, acl, capabilities }: FileDesired,
  { stat, throughLink }: Sight,
  attributes: DesiredAttributes,
): Awaitable<ObservedAccess | undefined> {
  const { owner, group, mode } = attributes
  const isJudged = access !== 'any' && (owner ?? group ?? mode) !== undefined
  const isNamed = (acl ?? capabilities) !== undefined
  if (!(isJudged || isNamed) || (stat.kind !== 'file' && stat.kind !== 'directory')) return undefined
  const way = isJudged ? target.access.wayTo(name, { followed: throughLink }) : NOTHING_SEEN.way
  const isOpen =
    isNamed || (mode !== undefined && (mayGiveMore(stat) || mayGiveMore(afterFix(seenBy(stat), attributes))))
  if (way.kind === 'known' && way.value.length === 0 && !isOpen) return NOTHING_SEEN
  const steps = way.kind === 'known' ? way.value : []
  const lists = steps.filter(mayLetWrite)
  const end = isOpen && throughLink ? target.files.realPath(name) : known(name)
  const paths = [...(isOpen ? [endOf(end) ?? name] : []), ...lists.map(({ path }) => path)]
  const conclude = (answers: readonly Reading<BeyondMode>[]): ObservedAccess => {
    const beyond = isOpen ? answers[0] : undefined
    const rest = isOpen ? answers.slice(1) : answers
    const seen = withLists(steps, rest)
    return {
      beyond,
      way: way.kind === 'known' ? known(seen) : way,
      names: namesIn(target, seen, beyond?.kind === 'known' ? [beyond.value] : []),
    }
  }
  return paths.length === 0 ? conclude([]) : target.access.beyondMode(paths).then(conclude)
}

function seenBy({ kind, mode, uid, gid }: FileStat): ObservedAttributes {
  return { kind, mode, owner: { id: uid, name: undefined }, group: { id: gid, name: undefined } }
}

/**
 * Predicts the access beyond owner, group and mode for a new file: through the default list of its directory, or because users
 * can replace it. Undefined if the policy does not ask, or if the directory does not exist yet.
 */
export function observeAccessOfNew(
  target: Target,
  { name, access, ensure }: FileDesired,
  attributes: DesiredAttributes,
): Awaitable<ObservedAccess | undefined> {
  const { owner, group, mode } = attributes
  const parent = target.files.realPath(dirname(name))
  if (access === 'any' || (owner ?? group ?? mode) === undefined) return undefined
  if (parent.kind === 'unknown' || parent.value === null) return undefined
  const way = target.access.wayTo(name, { followed: false })
  const steps = way.kind === 'known' ? way.value : []
  const lists = steps.filter(mayLetWrite)
  return target.access.beyondMode([parent.value, ...lists.map(({ path }) => path)]).then(([above, ...rest]) => {
    const seen = withLists(steps, rest)
    const beyond = inheritAccess(above, ensure === 'directory')
    const settled = settleAttributes(attributes, undefined)
    const own = 'obstacles' in settled ? [] : [settled]
    return {
      beyond,
      way: way.kind === 'known' ? known(seen) : way,
      names: namesIn(target, [...seen, ...own], beyond.kind === 'known' ? [beyond.value] : []),
    }
  })
}

/** Access inherited from the default list of the directory. @see acl(5), "OBJECT CREATION AND DEFAULT ACLs" */
function inheritAccess(above: Reading<BeyondMode> = NOT_ANSWERED, isDirectory: boolean): Reading<BeyondMode> {
  if (above.kind === 'unknown') return above
  const { defaultAcl } = above.value
  return known({ acl: defaultAcl, defaultAcl: isDirectory ? defaultAcl : undefined, capabilities: undefined })
}

/** Reads the flags of a file or directory; undefined if the policy does not ask. */
export function observeFlags(
  target: Target,
  { name, immutable }: FileDesired,
  { stat, throughLink }: Sight,
): Awaitable<FileState['flags']> {
  if (immutable === undefined || (stat.kind !== 'file' && stat.kind !== 'directory')) return undefined
  const end = throughLink ? target.files.realPath(name) : known(name)
  if (end.kind === 'unknown') return end
  return target.access.flags([end.value ?? name]).then(([flags = NOT_ANSWERED]) => flags)
}

/** First file in a tree, or its parent, with a flag that prevents removal. An unreadable file counts as removable. */
export async function observeFlagged(target: Target, directory: string): Promise<Flagged | undefined> {
  const tree = target.files.listTree(directory)
  const holder = target.files.realPath(dirname(directory))
  const within = tree.kind === 'known' ? tree.value.filter(({ kind }) => kind === 'file' || kind === 'directory') : []
  const paths = [endOf(holder) ?? dirname(directory), directory, ...within.map(({ path }) => join(directory, path))]
  const flags = await target.access.flags(paths)
  return paths
    .map((path, index) => ({ path, flag: flagOf(flags[index]) }))
    .find((place): place is Flagged => place.flag !== undefined)
}

function flagOf(flags: Reading<InodeFlags | undefined> = NOT_ANSWERED): Flagged['flag'] | undefined {
  if (flags.kind === 'unknown') return undefined
  if (flags.value?.immutable === true) return 'immutable'
  return flags.value?.appendOnly === true ? 'append-only' : undefined
}

function endOf(end: Reading<string | null>): string | undefined {
  return end.kind === 'known' ? (end.value ?? undefined) : undefined
}

const NOT_ANSWERED = unknown('internal', 'no output for the path')

function namesIn(
  target: Target,
  steps: readonly (ObservedStep | FileAttributes)[],
  beyond: readonly BeyondMode[],
): AccountNames {
  const lists = [
    ...beyond.flatMap(({ acl, defaultAcl }) => [acl, defaultAcl]),
    ...steps.map((step) => ('acl' in step && step.acl.kind === 'known' ? step.acl.value : undefined)),
  ]
  const entries = lists.flatMap((acl): readonly NamedEntry[] => acl?.named ?? [])
  const owners = steps.flatMap(({ uid, gid }) => [
    { kind: 'user', id: uid } as const,
    { kind: 'group', id: gid } as const,
  ])
  return namesOf([...entries, ...owners], target.names)
}
