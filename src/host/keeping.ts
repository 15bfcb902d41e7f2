import { dirname, join } from 'node:path'
import type { ApplyOutcome } from '../model/decision.ts'
import type { Reading } from '../model/observation.ts'
import { type CommandOutcome, POLICY_ENVIRONMENT, type StoredCommand } from './command.ts'
import type { Target } from './target.ts'

/** Something that an action is about to change: its kind names the handler that restores it. */
export interface IntendedChange {
  readonly kind: string
  readonly name: string
  /** What it is, where this was just observed. */
  readonly before?: unknown
  /** Whether it is a file that is written where it lies, and has to be put back in the same way. */
  readonly inPlace?: true
}

/** What an action is about to change, and how that is undone. */
export interface Intent {
  readonly things?: readonly IntendedChange[]
  /** Undoes what no handler knows. */
  readonly back?: StoredCommand
  /** Makes things effective that lie in files, so it runs again when they are restored. */
  readonly again?: StoredCommand
  /** Whether `again` makes nothing but the things of this step, so that it only runs where one of them was not restored. */
  readonly unlessBack?: boolean
  /** Why a part of it cannot be undone. */
  readonly lost?: string
  /** Whether what is there is only removed, or something new takes its place: it is never written to. */
  readonly replaces?: boolean
  /** Told the states of the things after the action. */
  readonly onAfter?: (states: readonly Reading<unknown>[]) => void
}

/** What an action says of itself. */
export type ActionOutcome = ApplyOutcome | CommandOutcome

/** Why an action was not even begun. */
export type Failed = Extract<ApplyOutcome, { kind: 'failed' }>

/** Records what an action changes, then carries it out; an action does not begin where the record cannot be written. */
export type Keep = <Outcome extends ActionOutcome>(
  intent: Intent,
  action: () => Promise<Outcome>,
) => Promise<Outcome | Failed>

/** What a writer needs that records for an undo. */
export interface Keeper {
  readonly target: Target
  readonly keep: Keep
  /** Why no program is run for the target, where that is so. */
  readonly runsNothing?: string
}

/** What a step touches. */
export interface Things extends Intent {
  readonly things: readonly IntendedChange[]
}

/** Paths, each with all that is there. */
export function wholes(paths: readonly string[]): Things {
  return { things: paths.map((name) => ({ kind: 'path', name })) }
}

/** A path, and where it leads behind links, because what is there is what gets written to. */
export function withTarget(target: Target, path: string): readonly string[] {
  const real = target.realPath(path)
  return real.kind === 'known' && real.value !== null && real.value !== path ? [path, real.value] : [path]
}

/** Paths of which the mode, the owner and what lies beyond them are all that changes. */
export function attributesOf(paths: readonly string[]): Things {
  return { things: paths.map((name) => ({ kind: 'attributes', name })) }
}

/** Links, with the directories that are made for them and those that may be left empty. */
export function linksOf(target: Target, paths: readonly string[]): Things {
  const directories = [...new Set(paths.map((path) => dirname(path)))]
  const missing = new Set(paths.flatMap((path) => missingAbove(target, path)))
  const present = directories.filter((directory) => !missing.has(directory))
  return {
    things: [...attributesOf([...missing]).things, ...wholes(paths).things, ...attributesOf(present).things],
  }
}

/** A directory that is made or changed. A link in its place goes, so that is kept as a whole. */
export function directoryOf(target: Target, path: string): Intent {
  const above = attributesOf(missingAbove(target, path)).things
  const seen = target.lstat(path)
  const isLink = seen.kind === 'present' && seen.state.kind === 'symlink'
  return { things: [...above, ...(isLink ? wholes([path]) : attributesOf([path])).things] }
}

/** The directories above a path that are not there, the outermost first. */
export function missingAbove(target: Target, path: string): readonly string[] {
  const above = dirname(path)
  return above === path || target.lstat(above).kind !== 'absent' ? [] : [...missingAbove(target, above), above]
}

/** The attributes of a path and of all that is below it, which is first, so that an undo gives directories back before what is in them. */
export function withBelow(target: Target, path: string): Intent {
  const seen = target.lstat(path)
  const isDirectory = seen.kind === 'present' && seen.state.kind === 'directory'
  if (seen.kind !== 'unknown' && !isDirectory) return attributesOf([path])
  const below = target.listTree(path)
  if (below.kind === 'unknown')
    return { ...attributesOf([path]), lost: `owners that could not be read: ${below.detail}` }
  return attributesOf([path, ...below.value.map(({ path: inside }) => join(path, inside))].toReversed())
}

/** Starting or stopping what a unit needs may take as long as systemd waits. */
const SYSTEM_TIMEOUT_MS = 600_000

/** A command of the system, which needs nothing of our surroundings. */
export function systemCommand(argv: StoredCommand['argv']): StoredCommand {
  return { argv, workingDirectory: '/', environment: POLICY_ENVIRONMENT, timeoutMs: SYSTEM_TIMEOUT_MS }
}
