import { canonicalJson } from '../core/canonical-json.ts'
import type { ApplyOutcome } from '../core/decision.ts'
import type { Drift } from '../core/drift.ts'
import type { Remediator } from '../target/remediator.ts'
import type { Site } from '../target/local/site.ts'
import type { Target } from '../target/target.ts'
import { join } from 'node:path'
import { restoreCopy } from './kept.ts'
import type { Recorder } from './recorder.ts'
import type { Step, Thing } from './step.ts'
import { wayOf } from './ways/index.ts'
import type { Moments, Way } from './ways/way.ts'

/** What putting back needs. */
export interface PuttingBack {
  readonly target: Target
  /** Changes the machine, and keeps nothing of its own. */
  readonly remediator: Remediator
  /** Keeps what is replaced on the way back, so that this can be taken back, too. */
  readonly recorder: Recorder
  /** The directory of the journal that is taken back. */
  readonly directory: string
  /** Where things are put back, and the fix journal. */
  readonly site: Site
  /** Whether what somebody has changed since is put back all the same. */
  readonly force: boolean
  readonly signal: AbortSignal
}

/** What came of a part of a step. Values are for people. */
export type PutBack =
  | { readonly kind: 'as-before' }
  | { readonly kind: 'back'; readonly difference: Drift }
  | { readonly kind: 'refused'; readonly difference?: Drift; readonly message: string }

/** Puts back one thing of a step, unless it is as it was before or somebody has changed it since. */
export async function putBack(thing: Thing, step: Step, putting: PuttingBack): Promise<PutBack> {
  const { target, signal, force } = putting
  const way = wayOf(thing.kind)
  const seen = await way.look(target, thing.name, signal)
  if (seen.kind === 'unknown') return { kind: 'refused', message: `cannot be looked at: ${seen.detail}` }
  const moments = { before: thing.before, after: thing.after, now: seen.value }
  if (isSame(moments.before, moments.now)) return { kind: 'as-before' }
  const difference = differenceOf(way, thing, moments)
  const conflict = conflictOf(way, moments, step)
  if (conflict !== undefined && !force) return { kind: 'refused', difference, message: conflict }
  const outcome = await carryOut(way, { thing, moments, step }, putting)
  if (outcome.kind === 'failed') return { kind: 'refused', difference, message: outcome.message }
  return verified(way, thing, { difference, moments }, putting)
}

interface Work {
  readonly thing: Thing
  readonly moments: Moments<unknown>
  readonly step: Step
}

function carryOut(
  way: Way<unknown>,
  { thing, moments, step }: Work,
  { remediator, recorder, directory, site, signal }: PuttingBack,
): Promise<ApplyOutcome> {
  const { kind, name, kept } = thing
  const restore = async (path: string, names?: readonly string[]): Promise<ApplyOutcome> =>
    kept === undefined
      ? { kind: 'failed', message: `the journal has no copy of ${path}` }
      : restoreCopy(join(directory, 'kept', String(kept)), { path, names: names ?? [] }, site)
  return recorder.perform(step.owner, { things: [{ kind, name }] }, () =>
    way.putBack(name, moments, { remediator, restore, signal }),
  )
}

/** That something was done proves nothing; what is there now does. */
async function verified(
  way: Way<unknown>,
  { name, after }: Thing,
  { difference, moments }: { readonly difference: Drift; readonly moments: Moments<unknown> },
  { target, signal }: PuttingBack,
): Promise<PutBack> {
  const seen = await way.look(target, name, signal)
  if (seen.kind === 'unknown') return { kind: 'refused', difference, message: `could not be verified: ${seen.detail}` }
  const isBack = isSame(moments.before, seen.value) || (way.merges === true && !isSame(after, seen.value))
  if (isBack) return { kind: 'back', difference }
  return {
    kind: 'refused',
    difference,
    message: `is ${way.describe(seen.value)} and not ${way.describe(moments.before)}`,
  }
}

/** A step that was not over when the fix was ended may have got anywhere, and nobody else is known to have been there. */
function conflictOf(way: Way<unknown>, moments: Moments<unknown>, { isOver }: Step): string | undefined {
  if (way.conflict !== undefined) return way.conflict(moments)
  if (!isOver || moments.after === undefined || isSame(moments.after, moments.now)) return undefined
  return `changed since the fix: it was ${way.describe(moments.after)} then and is ${way.describe(moments.now)} now`
}

function differenceOf(way: Way<unknown>, { kind, name }: Thing, { before, now }: Moments<unknown>): Drift {
  const property = kind === 'path' ? name : `${name} (${kind})`
  return { property, desired: way.describe(before), observed: way.describe(now) }
}

/** States are plain data that went through JSON. */
export function isSame(left: unknown, right: unknown): boolean {
  return canonicalJson(left) === canonicalJson(right)
}
