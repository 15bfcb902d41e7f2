import { rmSync } from 'node:fs'
import { defined } from '../../model/defined.ts'
import { known, type Reading } from '../../model/observation.ts'
import type { ApplyOutcome } from '../../model/decision.ts'
import type { OpenRoot } from '../../host/live/site.ts'
import type { ActionOutcome, Failed, Intent, IntendedChange } from '../../host/keeping.ts'
import type { Target } from '../../host/target.ts'
import { writeFailure } from '../../host/live/system-error.ts'
import type { Barrier } from './barrier.ts'
import type { OpenJournal } from './journal.ts'
import { keepCopy, keepReplaced, releaseKept } from './kept.ts'
import type { PendingChanges } from './pending.ts'
import type { StepOwner, UndoItem } from './step.ts'
import { wayOf } from './ways/index.ts'

/** Performs the actions of a fix and records the changed items before each. */
export interface Recorder {
  /** Performs an action, but only if the replaced state was backed up. */
  perform<Outcome extends ActionOutcome>(
    owner: StepOwner,
    intent: Intent,
    action: () => Promise<Outcome>,
  ): Promise<Outcome | Failed>
  /**
   * Like `perform`, for an action that stages a replacement and waits at the barrier before the switch. Also waits for
   * pending reads of the replaced file, which may get another hard link.
   */
  performStaged<Outcome extends ActionOutcome>(
    owner: StepOwner,
    intent: Intent,
    action: () => Promise<Outcome>,
  ): Promise<Outcome | Failed>
}

export interface Recording {
  readonly journal: OpenJournal
  readonly target: Target
  /** Root of the target's paths. */
  readonly root: OpenRoot
  readonly barrier: Barrier
  readonly pending: PendingChanges
  readonly signal: AbortSignal
}

/** Creates a recorder for a fix journal. The target is only observed, without a cache. */
export function createRecorder(recording: Recording): Recorder {
  const prepareNext = createPreparation(recording)
  // Observing judges the outcome of an action; a failed record stops the fix before the next action.
  let broken: Failed | undefined
  const prepare: typeof prepareNext = async (owner, intent) => broken ?? prepareNext(owner, intent)
  const finish = async (begun: Begun, done: ActionOutcome): Promise<void> => {
    const outcome = await catchWriteFailure(async () => {
      await writeEnd({ ...begun, hasFailed: isFailure(done) }, recording)
      return { kind: 'done' }
    })
    if (outcome.kind === 'failed') broken = outcome
  }
  return {
    perform: (owner, intent, action) =>
      catchWriteFailure(async () => {
        const prepared = await prepare(owner, intent)
        if (prepared.kind === 'failed') return prepared
        const outcome = await action()
        await finish(prepared, outcome)
        return outcome
      }),
    performStaged: (owner, intent, action) =>
      catchWriteFailure(async () => {
        const preparing = catchWriteFailure<Begun>(() => prepare(owner, intent))
        recording.barrier.hold(preparing.then((prepared) => (prepared.kind === 'failed' ? prepared : undefined)))
        const outcome = await action()
        const prepared = await preparing
        recording.barrier.open()
        if (prepared.kind === 'failed') return prepared
        await finish(prepared, outcome)
        return outcome
      }),
  }
}

function isFailure(outcome: ActionOutcome): boolean {
  return outcome.kind === 'exited' ? outcome.exitCode !== 0 : outcome.kind !== 'done'
}

function notKept(reason: string): Failed {
  const message = `not changed, because its undo data cannot be stored: ${reason}; --keep-undo 0 fixes without undo data`
  return { kind: 'failed', message }
}

async function catchWriteFailure<Outcome>(work: () => Promise<Outcome | Failed>): Promise<Outcome | Failed> {
  try {
    return await work()
  } catch (error) {
    return writeFailure(error, 'cannot write the journal of the fix')
  }
}

/** Observes, backs up and records the items of an action. */
function createPreparation({
  journal,
  target,
  root,
  pending,
  signal,
}: Recording): (owner: StepOwner, intent: Intent) => Promise<Prepared> {
  let steps = 0
  let kept = 0
  // A partial copy only takes space, and another name of a file keeps that from being replaced.
  const forgetKept = (number: number): void => rmSync(journal.keptPath(number), { recursive: true, force: true })
  const look = async (
    { kind, name, before, inPlace }: IntendedChange,
    keep: typeof keepCopy,
  ): Promise<Looked | Failed> => {
    const way = await wayOf(kind)
    const seen = before === undefined ? await way.look(target, name, signal) : known(before)
    if (seen.kind === 'unknown') return notKept(seen.detail)
    const thing = { kind, name, before: seen.value, ...defined({ inPlace }) }
    if (way.keeps?.(seen.value) !== true) return { kind: 'looked', thing }
    const number = ++kept
    const copied = await keep(name, journal.keptPath(number), root)
    if (copied.kind === 'kept') return { kind: 'looked', thing: { ...thing, kept: number }, flushed: copied.flushed }
    forgetKept(number)
    return notKept(copied.message)
  }
  return async (owner, { things: names = [], replaces = false, onAfter, back, again, unlessBack, lost }) => {
    const conflict = names.map(pending.conflict).find((message) => message !== undefined)
    if (conflict !== undefined) return { kind: 'failed', message: conflict }
    const things: UndoItem[] = []
    const flushes: Promise<ApplyOutcome>[] = []
    const letGo = (): void => {
      for (const thing of things) if (thing.kept !== undefined) forgetKept(thing.kept)
    }
    for (const each of names) {
      const looked = await look(each, replaces ? keepReplaced : keepCopy)
      if (looked.kind === 'failed') {
        letGo()
        return looked
      }
      things.push(looked.thing)
      if (looked.flushed !== undefined) flushes.push(looked.flushed)
    }
    const number = ++steps
    const begun = journal.begin({ number, owner, things, ...defined({ back, again, unlessBack, lost }) })
    // In any order: until both are on the disk, nothing has changed.
    const [flushed] = await Promise.all([Promise.all(flushes), begun])
    const failed = flushed.find((outcome) => outcome.kind === 'failed')
    if (failed?.kind !== 'failed') return { kind: 'begun', number, things, ...defined({ onAfter }) }
    letGo()
    journal.end(number, { after: things.map(({ before }) => before), hasFailed: true })
    return notKept(failed.message)
  }
}

async function writeEnd(
  { number, things, hasFailed, onAfter }: Begun & { readonly hasFailed: boolean },
  { journal, target, root, signal }: Recording,
): Promise<void> {
  const after: Reading<unknown>[] = []
  for (const { kind, name, kept } of things) {
    if (kept !== undefined) releaseKept(journal.keptPath(kept), name, root)
    const way = await wayOf(kind)
    const seen = await way.look(target, name, signal)
    after.push(seen)
  }
  onAfter?.(after)
  journal.end(number, { after: after.map((seen) => (seen.kind === 'known' ? seen.value : undefined)), hasFailed })
}

/** An item of a step, kept if it has content; `flushed` once that is on the disk. */
interface Looked {
  readonly kind: 'looked'
  readonly thing: UndoItem
  readonly flushed?: Promise<ApplyOutcome>
}

interface Begun extends Pick<Intent, 'onAfter'> {
  readonly kind: 'begun'
  readonly number: number
  readonly things: readonly UndoItem[]
}

type Prepared = Begun | Failed
