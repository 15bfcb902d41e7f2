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

/** What putting back needs. */
export interface PuttingBack extends Examining {
  /** Changes the machine, and keeps nothing of its own. */
  readonly remediator: Remediator
  /** Keeps what is replaced on the way back, so that this can be taken back, too. */
  readonly recorder: Recorder
  /** The directory of the journal that is taken back. */
  readonly directory: string
  /** Where things are put back, and the fix journal. */
  readonly site: Site
}

/** What it takes to tell what is to be put back. */
export interface Examining {
  readonly target: Target
  /** What undos of this fix that were interrupted have made. */
  readonly own: OwnStates
  /** Whether what was changed since the fix is put back, too. */
  readonly force: boolean
  readonly signal: AbortSignal
  /** What the thing is then, where the machine need not be asked. */
  readonly assumed?: unknown
}

/** A thing that an undo is about, and what came of it. States are words for people. */
export interface UndoneItem {
  readonly kind: UndoItem['kind']
  readonly name: string
  /** `failed` is what could not be restored, or not be looked at; then `message` says why. */
  readonly outcome: 'restored' | 'as-before' | 'conflict' | 'failed'
  readonly before: string
  /** What it was right after the fix; absent where that was not read. */
  readonly after?: string
  /** What was found now; absent where it could not be looked at. */
  readonly found?: string
  readonly message?: string
}

/** Whether a thing is not as it was before, or unknown. */
export function isLeft({ outcome }: UndoneItem): boolean {
  return outcome === 'conflict' || outcome === 'failed'
}

/** Looks at one thing of a step, and says whether it can be put back. Changes nothing. */
export async function examine(thing: UndoItem, step: Step, examining: Examining): Promise<Examined> {
  const { target, signal, force, own, assumed } = examining
  const way = wayOf(thing.kind)
  const seen = assumed === undefined ? await way.look(target, thing.name, signal) : known(assumed)
  const { kind, name, before, after } = thing
  if (seen.kind === 'unknown') {
    const [described] = describeStates(way, [before])
    const message = `cannot be looked at: ${seen.detail}`
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

/** What is to become of a thing: nothing, or it is restored. */
export type Examined =
  | { readonly kind: 'settled'; readonly thing: UndoneItem }
  | {
      readonly kind: 'to-restore'
      readonly way: UndoHandler<unknown>
      readonly moments: BeforeAfter<unknown>
      readonly words: Omit<UndoneItem, 'outcome'>
    }

/** Restores one item of a step, unless it is as it was before or was changed since. */
export async function putBack(thing: UndoItem, step: Step, putting: PuttingBack): Promise<UndoneItem> {
  const { directory, site } = putting
  // An undo that was killed may have left it with the name by which it was kept, too.
  if (thing.kept !== undefined) releaseKept(keptOf(directory, thing.kept), thing.name, site.root)
  const examined = await examine(thing, step, putting)
  if (examined.kind === 'settled') return examined.thing
  const { way, moments, words } = examined
  const { outcome, seen } = await carryOut(way, { thing, moments, step }, putting)
  if (outcome.kind === 'failed') return { ...words, outcome: 'failed', message: outcome.message }
  // That something was done proves nothing; what is there now does.
  const now = seen ?? (await way.look(putting.target, thing.name, putting.signal))
  if (now.kind === 'unknown') return { ...words, outcome: 'failed', message: `could not be verified: ${now.detail}` }
  const isBack = isSame(moments.before, now.value) || (way.merges === true && !isSame(moments.after, now.value))
  if (isBack) return { ...words, outcome: 'restored' }
  const [is, was] = describeStates(way, [now.value, moments.before])
  return { ...words, outcome: 'failed', message: `is ${is} and not ${was}` }
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
      return { kind: 'failed', message: 'it is not kept any more; an earlier undo has put it back' }
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
