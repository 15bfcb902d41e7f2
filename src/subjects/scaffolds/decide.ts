import { defined } from '../../model/defined.ts'
import { type Decision, NO_PLAN, type Obstacle, type Plan } from '../../model/decision.ts'
import type { DecidedDrift, Drift, UnknownProperty } from '../../model/drift.ts'
import { toFiles } from '../../model/effect.ts'
import { showName } from '../../model/file-name.ts'
import type { Seen } from '../../model/observation.ts'
import type { FileKind } from '../../host/target.ts'
import { showDifference } from '../shared/contents.ts'
import { conflict, KIND_WORDS } from '../shared/paths.ts'
import {
  type Leftover,
  type PlannedFile,
  type ScaffoldAction,
  type ScaffoldContext,
  type ScaffoldFile,
  type ScaffoldState,
  statusOf,
  type ScaffoldDesired,
} from './state.ts'

type Observed = Seen<ScaffoldState, ScaffoldContext>
type Directory = Extract<ScaffoldState, { kind: 'directory' }>
type Rendered = Extract<ScaffoldContext, { kind: 'rendered' }>

const POST_NOTE =
  'a post command applies to this file; if the command changes the content, the file never matches its template'

/**
 * Compares a rendered tree with its target, following the decision table of CCM's scaffold type: missing and different files are
 * drift, and with `purge` also extra files.
 */
export function decideScaffold(desired: ScaffoldDesired, observed: Observed): Decision<ScaffoldAction> {
  const { context } = observed
  if (context.kind === 'unusable') return withoutSource(desired, observed, context.obstacle)
  if (desired.ensure === 'absent') {
    return observed.kind === 'absent' ? settledDecision('absent', 'absent') : decideAbsent(desired, observed.state)
  }
  // Without rendered files the target cannot be compliant, and no fix can change that.
  if (context.kind === 'not-needed' || context.files.length === 0) return withoutFiles(desired, observed)
  if (observed.kind === 'absent') return decideMissing(context)
  return decidePresent(desired, observed.state)
}

function decideAbsent({ name, purge }: ScaffoldDesired, state: ScaffoldState): Decision<ScaffoldAction> {
  if (state.kind === 'other') return state.found === 'symlink' ? unwantedLink() : settledDecision('absent', 'absent')
  const { leftovers } = state
  if (leftovers.kind === 'unknown') {
    const unknown = [{ property: 'ensure', reason: leftovers.reason, detail: leftovers.detail }]
    return { ...settledDecision('absent', 'present'), unknown }
  }
  if (leftovers.value.length === 0) return settledDecision('absent', 'absent')
  const drift = leftovers.value.map(leftoverDrift)
  const { changed, stable, purged } = statusOf(name, state)
  const count = changed.length + stable.length + (purge ? purged.length : 0)
  const files = leftovers.value.map(({ path }) => path)
  const refused = refusals(leftovers.value)
  return {
    ensure: { desired: 'absent', observed: 'present' },
    drift,
    unknown: [],
    plan: {
      kind: 'act',
      action: { kind: 'remove', files },
      text: `Would have removed ${count} scaffold files`,
      effects: toFiles('remove', files.length),
      obstacles: unique(refused).map((reason) => ({ reason: `${reason}; refusing to remove from ${name}` })),
    },
  }
}

/** Only a dangling link is reported as a link. */
function unwantedLink(): Decision<ScaffoldAction> {
  const drift = { property: 'ensure', desired: 'absent', observed: 'symlink', note: 'dangling link' }
  return {
    ensure: { desired: 'absent', observed: 'symlink' },
    drift: [drift],
    unknown: [],
    plan: {
      kind: 'act',
      action: { kind: 'remove-link' },
      text: 'Would have removed the link',
      effects: [{ kind: 'remove', object: 'the link' }],
      obstacles: [],
    },
  }
}

function decideMissing(context: Rendered): Decision<ScaffoldAction> {
  const files = context.files.map(({ path, bytes }) => ({ path, bytes }))
  const action = { kind: 'render', directories: context.directories, files, purge: [] } as const
  return {
    ensure: { desired: 'present', observed: 'absent' },
    drift: [{ property: 'ensure', desired: 'present', observed: 'absent' }],
    unknown: [],
    plan: rendering(action, files.length, context.obstacles),
  }
}

function decidePresent({ name, purge }: ScaffoldDesired, state: ScaffoldState): Decision<ScaffoldAction> {
  if (state.kind === 'other') return wrongKind(name, state.found)
  const unexpected = purge && state.unexpected.kind === 'known' ? state.unexpected.value : []
  const drift = [...state.files.flatMap(fileDrift), ...unexpected.map(leftoverDrift)].toSorted(byPath)
  const unknown = unreadableFiles(state, purge)
  const decision = { ...settledDecision('present', 'present'), drift, unknown }
  if (drift.length === 0) return decision
  const files = state.files.flatMap(plannedFile)
  const action = {
    kind: 'render',
    directories: state.missingDirectories,
    files,
    purge: unexpected.map(({ path }) => path),
  } as const
  const count = statusOf(name, state).changed.length + unexpected.length
  return { ...decision, plan: rendering(action, count, obstaclesOf(state, unexpected)) }
}

function leftoverDrift({ path, refused }: Leftover): Drift & { readonly path: string } {
  const drift = { property: 'ensure', path: showName(path), desired: 'absent', observed: 'present' }
  return refused === undefined ? drift : { ...drift, note: refused }
}

function refusals(leftovers: readonly Leftover[]): readonly string[] {
  return leftovers.flatMap(({ refused }) => (refused === undefined ? [] : [refused]))
}

function fileDrift({
  digest,
  seen,
  hasPost,
  ...file
}: ScaffoldFile): readonly (DecidedDrift & { readonly path: string })[] {
  const path = showName(file.path)
  switch (seen.kind) {
    case 'equal':
    case 'unknown':
      return []
    case 'missing':
      return [{ property: 'ensure', path, desired: 'present', observed: 'absent' }]
    case 'refused':
      return [{ property: 'ensure', path, desired: 'present', observed: seen.observed, note: seen.reason }]
    case 'different': {
      const shown = showDifference(seen.comparison)
      const note = [shown.note ?? [], hasPost ? POST_NOTE : []].flat().join('; ')
      return [
        {
          property: 'content',
          path,
          desired: digest,
          observed: seen.observed,
          ...shown,
          ...(note === '' ? {} : { note }),
        },
      ]
    }
  }
}

function unreadableFiles(state: Directory, purge: boolean): readonly UnknownProperty[] {
  const files = state.files.flatMap(({ path, seen }) =>
    seen.kind === 'unknown'
      ? [{ property: 'content', reason: seen.reason, detail: `${showName(path)}: ${seen.detail}` }]
      : [],
  )
  const { unexpected } = state
  if (!purge || unexpected.kind === 'known') return files
  return [...files, { property: 'ensure', reason: unexpected.reason, detail: unexpected.detail }]
}

function plannedFile({ path, bytes, seen }: ScaffoldFile): readonly PlannedFile[] {
  if (seen.kind === 'missing') return [{ path, bytes }]
  if (seen.kind !== 'different') return []
  const { attributes, previous } = seen
  return [{ path, bytes, attributes, ...defined({ previous }) }]
}

function obstaclesOf({ files }: Directory, unexpected: readonly Leftover[]): readonly Obstacle[] {
  const reasons = files.flatMap(({ seen }) => (seen.kind === 'refused' ? [seen.reason] : []))
  return unique([...reasons, ...refusals(unexpected)]).map((reason) => ({ reason }))
}

function wrongKind(name: string, found: Exclude<FileKind, 'directory'>): Decision<ScaffoldAction> {
  const observed = KIND_WORDS[found]
  return {
    ensure: { desired: 'present', observed },
    drift: [{ property: 'ensure', desired: 'present', observed }],
    unknown: [],
    plan: refuse({ reason: conflict(name, found, 'a directory') }),
  }
}

/** A missing source is an error, unless an earlier resource provides it. */
function withoutSource({ ensure }: ScaffoldDesired, observed: Observed, obstacle: Obstacle): Decision<ScaffoldAction> {
  return {
    ensure: { desired: ensure, observed: observed.kind === 'absent' ? 'absent' : 'present' },
    drift: [{ property: 'content', desired: null, observed: null, note: obstacle.reason }],
    unknown: [],
    plan: {
      kind: 'act',
      action: { kind: 'impossible', message: obstacle.reason },
      text: 'Would have rendered the scaffold',
      effects: [{ kind: 'write', object: 'the files' }],
      obstacles: [obstacle],
    },
  }
}

function withoutFiles({ name }: ScaffoldDesired, observed: Observed): Decision<ScaffoldAction> {
  const reason = `the templates render no file for ${name}: scaffold produced no changed, stable, or purged files`
  return {
    ensure: { desired: 'present', observed: observed.kind === 'absent' ? 'absent' : 'present' },
    drift: [{ property: 'content', desired: null, observed: null, note: reason }],
    unknown: [],
    plan: refuse({ reason, fatal: 'invalid' }),
  }
}

function settledDecision(desired: string, observed: string): Decision<ScaffoldAction> {
  return { ensure: { desired, observed }, drift: [], unknown: [], plan: NO_PLAN }
}

/** `count` is the number of files that CCM counts. */
function rendering(
  action: Extract<ScaffoldAction, { kind: 'render' }>,
  count: number,
  obstacles: readonly Obstacle[],
): Plan<ScaffoldAction> {
  const effects = [...toFiles('write', action.files.length), ...toFiles('remove', action.purge.length)]
  return { kind: 'act', action, text: `Would have changed ${count} scaffold files`, effects, obstacles }
}

function refuse(obstacle: Obstacle): Plan<ScaffoldAction> {
  return { kind: 'refuse', obstacles: [obstacle] }
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)]
}

function byPath(left: { readonly path: string }, right: { readonly path: string }): number {
  return left.path < right.path ? -1 : 1
}
