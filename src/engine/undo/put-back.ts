import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { ApplyOutcome } from '../../model/decision.ts'
import { defined } from '../../model/defined.ts'
import { known, type Reading } from '../../model/observation.ts'
import type { Remediator } from '../../host/remediator.ts'
import type { Site } from '../../host/live/site.ts'
import type { Target } from '../../host/target.ts'
import { releaseKept, restoreInPlace, restoreKept } from './kept.ts'
import type { Recorder } from './recorder.ts'
import { isSame, type Step, type UndoItem } from './step.ts'
import type { OwnStates } from './own-states.ts'
import { wayOf } from './ways/index.ts'
import { describeStates, type BeforeAfter, type UndoHandler } from '../../host/undo-handler.ts'

/** Context of a restore. */
export interface PuttingBack extends Examining {
  /** Changes the machine without a backup. */
  readonly remediator: Remediator
  /** Backs up the replaced state, so that the undo can itself be undone. */
  readonly recorder: Recorder
  /** Journal directory of the fix that is undone. */
  readonly directory: string
  /** Root of the restored items, and the fix journal. */
  readonly site: Site
}

/** Context of an examination before a restore. */
export interface Examining {
  readonly target: Target
  /** States that interrupted undos of this fix have produced. */
  readonly own: OwnStates
  /** Overwrite changes made since the fix. */
  readonly force: boolean
  readonly signal: AbortSignal
  /** The current state, if it is known without observing the machine. */
  readonly assumed?: unknown
}

/** An item of an undo with its outcome. States are formatted for display. */
export interface UndoneItem {
  readonly kind: UndoItem['kind']
  readonly name: string
  /** `failed` if the item could not be restored or observed; `message` gives the reason. */
  readonly outcome: 'restored' | 'as-before' | 'conflict' | 'failed'
  readonly before: string
  /** State right after the fix; absent if it was not read. */
  readonly after?: string
  /** Current state; absent if it could not be observed. */
  readonly found?: string
  readonly message?: string
}

/** True if an item was not restored or its state is unknown. */
export function isLeft({ outcome }: UndoneItem): boolean {
  return outcome === 'conflict' || outcome === 'failed'
}

/** Observes an item and decides whether it can be restored. Changes nothing. */
export async function examine(thing: UndoItem, step: Step, examining: Examining): Promise<Examined> {
  const { target, signal, force, own, assumed } = examining
  const way = await wayOf(thing.kind)
  const seen = assumed === undefined ? await way.look(target, thing.name, signal) : known(assumed)
  const { kind, name, before, after } = thing
  if (seen.kind === 'unknown') {
    const [described] = describeStates(way, [before])
    const message = `cannot be observed: ${seen.detail}`
    return { kind: 'settled', thing: { kind, name, outcome: 'failed', before: described, message } }
  }
  const moments = { before, after, now: seen.value }
  const words = wordsOf(way, thing, moments)
  if (isSame(before, seen.value)) return { kind: 'settled', thing: { ...words, outcome: 'as-before' } }
  const isOwn = own.includes(thing, seen.value)
  const conflict = isOwn || force ? undefined : conflictOf(way, moments, step)
  if (conflict !== undefined) return { kind: 'settled', thing: { ...words, outcome: 'conflict', message: conflict } }
  return { kind: 'to-restore', way, moments, words }
}

/** Decision on an item: it is settled, or it is to be restored. */
export type Examined =
  | { readonly kind: 'settled'; readonly thing: UndoneItem }
  | {
      readonly kind: 'to-restore'
      readonly way: UndoHandler<unknown>
      readonly moments: BeforeAfter<unknown>
      readonly words: Omit<UndoneItem, 'outcome'>
    }

/** Restores one item of a step, unless it has its earlier state or was changed since. */
export async function putBack(thing: UndoItem, step: Step, putting: PuttingBack): Promise<UndoneItem> {
  const { directory, site } = putting
  // An interrupted undo may have left its kept hard link as well.
  if (thing.kept !== undefined) releaseKept(keptOf(directory, thing.kept), thing.name, site.root)
  const examined = await examine(thing, step, putting)
  if (examined.kind === 'settled') return examined.thing
  const { way, moments, words } = examined
  const { outcome, seen } = await carryOut(way, { thing, moments, step }, putting)
  if (outcome.kind === 'failed') return { ...words, outcome: 'failed', message: outcome.message }
  // Verify by observing: a successful action proves nothing.
  const now = seen ?? (await way.look(putting.target, thing.name, putting.signal))
  if (now.kind === 'unknown') return { ...words, outcome: 'failed', message: `could not be verified: ${now.detail}` }
  const isBack = isSame(moments.before, now.value) || (way.merges === true && !isSame(moments.after, now.value))
  if (isBack) return { ...words, outcome: 'restored' }
  const [is, was] = describeStates(way, [now.value, moments.before])
  return { ...words, outcome: 'failed', message: `is ${is}, expected ${was}` }
}

interface Work {
  readonly thing: UndoItem
  readonly moments: BeforeAfter<unknown>
  readonly step: Step
}

async function carryOut(
  way: UndoHandler<unknown>,
  { thing, moments, step }: Work,
  { remediator, recorder, directory, site, signal }: PuttingBack,
): Promise<{ readonly outcome: ApplyOutcome; readonly seen: Reading<unknown> | undefined }> {
  const { kind, name, kept, inPlace } = thing
  const restore = async (path: string, names?: readonly string[]): Promise<ApplyOutcome> => {
    const copy = kept === undefined ? undefined : keptOf(directory, kept)
    if (copy === undefined || lstatSync(copy, { throwIfNoEntry: false }) === undefined) {
      return { kind: 'failed', message: 'its undo data no longer exists: an earlier undo restored it' }
    }
    const where = { path, names: names ?? [] }
    return inPlace === true ? restoreInPlace(copy, where, site) : restoreKept(copy, where, site)
  }
  let seen: Reading<unknown> | undefined
  const intent = {
    things: [{ kind, name, before: moments.now, ...defined({ inPlace }) }],
    replaces: inPlace !== true,
    onAfter: (states: readonly Reading<unknown>[]): void => {
      seen = states[0]
    },
  }
  const outcome = await recorder.perform(step.owner, intent, () =>
    way.putBack(name, moments, { remediator, restore, signal }),
  )
  return { outcome, seen }
}

function keptOf(directory: string, number: number): string {
  return join(directory, 'kept', String(number))
}

/** An interrupted step has no known end state, so a later change cannot be detected. */
function conflictOf(way: UndoHandler<unknown>, moments: BeforeAfter<unknown>, { isOver }: Step): string | undefined {
  if (way.conflict !== undefined) return way.conflict(moments)
  if (!isOver || moments.after === undefined || isSame(moments.after, moments.now)) return undefined
  return 'changed since the fix'
}

function wordsOf(
  way: UndoHandler<unknown>,
  { kind, name }: UndoItem,
  { before, after, now }: BeforeAfter<unknown>,
): Omit<UndoneItem, 'outcome'> {
  const [was, found, then] = describeStates(way, after === undefined ? [before, now] : [before, now, after])
  return { kind, name, before: was, ...defined({ found, after: then }) }
}
