import { NO_PLAN, type Decision, type Obstacle, type Plan } from '../../../model/decision.ts'
import { showName } from '../../../model/file-name.ts'
import { ensureWord, KIND_WORDS } from '../../shared/paths.ts'
import type { FileAction, FileState, FileDesired, Flagged } from './model.ts'

// Paths that must be absent, and objects of the wrong kind.

/** Decides about a path that must be absent. */
export function decideAbsent(desired: FileDesired, state: FileState | undefined): Decision<FileAction> {
  if (state !== undefined) return wrongKind('absent', state, planRemoval(desired, state))
  return { ensure: { desired: 'absent', observed: 'absent' }, drift: [], unknown: [], plan: NO_PLAN }
}

function planRemoval({ name, force }: FileDesired, { kind, isEmpty, mounts, flagged }: FileState): Plan<FileAction> {
  const mounted = mountObstacle(name, mounts)
  if (mounted !== undefined) return refuse(mounted)
  if (kind !== 'directory') {
    return act({ kind: 'remove', recursive: false }, 'Would have removed the file', `the ${KIND_WORDS[kind]}`)
  }
  if (flagged !== undefined) return refuse(flagObstacle(name, flagged))
  if (force) {
    const text = 'Would have recursively removed the directory'
    return act({ kind: 'remove', recursive: true }, text, 'the directory with everything in it')
  }
  if (isEmpty?.kind === 'known' && !isEmpty.value) {
    const advice = "set 'force: true' to remove non-empty directories"
    return refuse({ reason: `cannot remove ${name}: directory is not empty, ${advice}` })
  }
  return act({ kind: 'remove', recursive: false }, 'Would have removed the directory', 'the directory')
}

/** A mount below the path belongs to a directory elsewhere, which the policy does not name. */
function mountObstacle(name: string, mounts: FileState['mounts']): Obstacle | undefined {
  if (mounts?.kind === 'unknown') return { reason: `the mounts below ${name} are unknown: ${mounts.detail}` }
  const [first] = mounts?.value ?? []
  if (first === undefined) return undefined
  const place = first === '' ? name : `${name}/${first}`
  return { reason: `cannot remove ${name}: a file system is mounted at ${showName(place)}; unmount it first` }
}

/** An administrator sets a flag to prevent removal, so a fix never clears it. */
function flagObstacle(name: string, { path, flag }: Flagged): Obstacle {
  const advice = `"chattr -${flag === 'immutable' ? 'i' : 'a'}" clears the flag`
  return { reason: `cannot remove ${name}: ${showName(path)} is ${flag}; ${advice}` }
}

/** Decision about an object of the wrong kind. */
export function wrongKind(desired: string, { kind }: FileState, plan: Plan<FileAction>): Decision<FileAction> {
  const observed = ensureWord(kind)
  const drift = { property: 'ensure', desired, observed }
  const explained = kind === 'symlink' && desired !== 'absent' ? { ...drift, note: 'dangling link' } : drift
  return { ensure: { desired, observed }, drift: [explained], unknown: [], plan }
}

function act(action: FileAction, text: string, removed: string): Plan<FileAction> {
  return { kind: 'act', action, text, effects: [{ kind: 'remove', object: removed }], obstacles: [] }
}

/** Plan of a fix that refuses to act, with the reason. */
export function refuse(obstacle: Obstacle): Plan<FileAction> {
  return { kind: 'refuse', obstacles: [obstacle] }
}
