import { dirname, join } from 'node:path'
import type { ApplyOutcome } from '../model/decision.ts'
import type { Reading } from '../model/observation.ts'
import { type CommandOutcome, POLICY_ENVIRONMENT, type StoredCommand } from './command.ts'
import type { Target } from './target.ts'

/** A thing that an action is about to change; its kind selects the handler that restores it. */
export interface IntendedChange {
  readonly kind: string
  readonly name: string
  /** Its state, if just observed. */
  readonly before?: unknown
  /** Whether it is a file that is written in place, and must be restored in place. */
  readonly inPlace?: true
}

/** The intended change of an action, and how to undo it. */
export interface Intent {
  readonly things?: readonly IntendedChange[]
  /** Undoes changes that have no handler. */
  readonly back?: StoredCommand
  /** Applies file contents, so it runs again after they are restored. */
  readonly again?: StoredCommand
  /** Whether `again` only recreates the things of this step, so that it runs only if one of them was not restored. */
  readonly unlessBack?: boolean
  /** Why a part of the change cannot be undone. */
  readonly lost?: string
  /** Whether the old file is only removed or replaced, never written to. */
  readonly replaces?: boolean
  /** Receives the states of the things after the action. */
  readonly onAfter?: (states: readonly Reading<unknown>[]) => void
}

export type ActionOutcome = ApplyOutcome | CommandOutcome

/** Why an action was not started. */
export type Failed = Extract<ApplyOutcome, { kind: 'failed' }>

/** Records the intended change, then runs the action; without a record the action is not started. */
export type Keep = <Outcome extends ActionOutcome>(
  intent: Intent,
  action: () => Promise<Outcome>,
) => Promise<Outcome | Failed>

/** The dependencies of a writer that records changes for undo. */
export interface Keeper {
  readonly target: Target
  readonly keep: Keep
  /** Why no program can run on the target, if so. */
  readonly runsNothing?: string
}

export interface Things extends Intent {
  readonly things: readonly IntendedChange[]
}

/** Paths with everything below them. */
export function keptPaths(paths: readonly string[]): Things {
  return { things: paths.map((name) => ({ kind: 'path', name })) }
}

/** A path and its target behind links, because the target is written to. */
export function withTarget(target: Target, path: string): readonly string[] {
  const real = target.files.realPath(path)
  return real.kind === 'known' && real.value !== null && real.value !== path ? [path, real.value] : [path]
}

/** Paths whose mode, owner and further permissions change, and nothing else. */
export function attributesOf(paths: readonly string[]): Things {
  return { things: paths.map((name) => ({ kind: 'attributes', name })) }
}

/** Links, with the directories that are created for them and those that may become empty. */
export function linksOf(target: Target, paths: readonly string[]): Things {
  const directories = [...new Set(paths.map((path) => dirname(path)))]
  const missing = new Set(paths.flatMap((path) => missingAbove(target, path)))
  const present = directories.filter((directory) => !missing.has(directory))
  return {
    things: [...attributesOf([...missing]).things, ...keptPaths(paths).things, ...attributesOf(present).things],
  }
}

/** A directory that is created or changed. A link in its place is replaced, so it is kept as a whole. */
export function directoryOf(target: Target, path: string): Intent {
  const above = attributesOf(missingAbove(target, path)).things
  const seen = target.files.lstat(path)
  const isLink = seen.kind === 'present' && seen.state.kind === 'symlink'
  return { things: [...above, ...(isLink ? keptPaths([path]) : attributesOf([path])).things] }
}

/** The missing directories above a path, outermost first. */
export function missingAbove(target: Target, path: string): readonly string[] {
  const above = dirname(path)
  return above === path || target.files.lstat(above).kind !== 'absent' ? [] : [...missingAbove(target, above), above]
}

/**
 * The attributes of a path and of everything below it. Paths below come first, so that an undo restores directories
 * before their content.
 */
export function withBelow(target: Target, path: string): Intent {
  const seen = target.files.lstat(path)
  const isDirectory = seen.kind === 'present' && seen.state.kind === 'directory'
  if (seen.kind !== 'unknown' && !isDirectory) return attributesOf([path])
  const below = target.files.listTree(path)
  if (below.kind === 'unknown') return { ...attributesOf([path]), lost: `owners unknown: ${below.detail}` }
  return attributesOf([path, ...below.value.map(({ path: inside }) => join(path, inside))].toReversed())
}

/** Starting or stopping the dependencies of a unit may take as long as systemd waits. */
const SYSTEM_TIMEOUT_MS = 600_000

/** A system command, independent of this process's environment. */
export function systemCommand(argv: StoredCommand['argv']): StoredCommand {
  return { argv, workingDirectory: '/', environment: POLICY_ENVIRONMENT, timeoutMs: SYSTEM_TIMEOUT_MS }
}
