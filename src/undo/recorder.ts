import type { ApplyOutcome } from '../core/decision.ts'
import { defined } from '../core/defined.ts'
import type { OpenRoot } from '../target/local/site.ts'
import type { Target } from '../target/target.ts'
import { writeFailure } from '../target/local/system-error.ts'
import type { Barrier } from './barrier.ts'
import type { OpenJournal } from './journal.ts'
import { keepCopy, keepReplaced, releaseKept } from './kept.ts'
import type { Step, StepOwner, Thing } from './step.ts'
import { type ThingKind, wayOf } from './ways/index.ts'

/** What an action is about to change. */
export interface Intent extends Pick<Step, 'back' | 'again' | 'unlessBack' | 'lost'> {
  readonly things?: readonly { readonly kind: ThingKind; readonly name: string }[]
  /** Whether what is there is only removed, or something new takes its place: it is never written to. */
  readonly replaces?: boolean
}

/** Carries out actions of a fix, and writes down before each of them what it changes. */
export interface Recorder {
  /** An outcome of an action that must not even begin where what it replaces cannot be kept. */
  perform<Outcome>(owner: StepOwner, intent: Intent, action: () => Promise<Outcome>): Promise<Outcome | Failed>
  /**
   * The same for an action that makes something beside what it replaces and waits at the barrier before it takes the place. Before
   * it first waits for anything it has looked at what it replaces, which may be given one more name from then on.
   */
  performStaged<Outcome>(owner: StepOwner, intent: Intent, action: () => Promise<Outcome>): Promise<Outcome | Failed>
}

/** Why an action was not even begun. */
export type Failed = Extract<ApplyOutcome, { kind: 'failed' }>

/** What a recorder needs. */
export interface Recording {
  readonly journal: OpenJournal
  readonly target: Target
  /** Where the paths of the target begin. */
  readonly root: OpenRoot
  readonly barrier: Barrier
  readonly signal: AbortSignal
}

/** Records into the journal of a fix. The target is only asked, each time anew. */
export function createRecorder(recording: Recording): Recorder {
  const prepare = createPreparation(recording)
  return {
    perform: (owner, intent, action) =>
      guarded(async () => {
        const prepared = await prepare(owner, intent)
        if (prepared.kind === 'failed') return prepared
        const outcome = await action()
        await finish(prepared, recording)
        return outcome
      }),
    performStaged: (owner, intent, action) =>
      guarded(async () => {
        const preparing = guarded<Begun>(() => prepare(owner, intent))
        recording.barrier.hold(preparing.then((prepared) => (prepared.kind === 'failed' ? prepared : undefined)))
        const outcome = await action()
        const prepared = await preparing
        recording.barrier.open()
        if (prepared.kind === 'failed') return prepared
        await finish(prepared, recording)
        return outcome
      }),
  }
}

function notKept(reason: string): Failed {
  const message = `what would be replaced cannot be kept, so it stays: ${reason}; a fix with --keep-undo 0 keeps nothing`
  return { kind: 'failed', message }
}

async function guarded<Outcome>(work: () => Promise<Outcome | Failed>): Promise<Outcome | Failed> {
  try {
    return await work()
  } catch (error) {
    return writeFailure(error, 'cannot write down what the fix would replace')
  }
}

/** Looks at what an action is about to change, keeps it, and writes that down. */
function createPreparation({
  journal,
  target,
  root,
  signal,
}: Recording): (owner: StepOwner, intent: Intent) => Promise<Prepared> {
  let steps = 0
  let kept = 0
  const look = async ({ kind, name }: Pick<Thing, 'kind' | 'name'>, keep: typeof keepCopy): Promise<Thing | Failed> => {
    const way = wayOf(kind)
    const seen = await way.look(target, name, signal)
    if (seen.kind === 'unknown') return notKept(seen.detail)
    const thing = { kind, name, before: seen.value }
    if (way.keeps?.(seen.value) !== true) return thing
    const number = ++kept
    const copied = await keep(name, journal.keptPath(number), root)
    return copied.kind === 'failed' ? notKept(copied.message) : { ...thing, kept: number }
  }
  return async (owner, { things: names = [], replaces = false, back, again, unlessBack, lost }) => {
    const things: Thing[] = []
    for (const each of names) {
      const thing = await look(each, replaces ? keepReplaced : keepCopy)
      if (thing.kind === 'failed') return thing
      things.push(thing)
    }
    const number = ++steps
    await journal.begin({ number, owner, things, ...defined({ back, again, unlessBack, lost }) })
    return { kind: 'begun', number, things }
  }
}

async function finish({ number, things }: Begun, { journal, target, root, signal }: Recording): Promise<void> {
  const after: unknown[] = []
  for (const { kind, name, kept } of things) {
    if (kept !== undefined) releaseKept(journal.keptPath(kept), name, root)
    const seen = await wayOf(kind).look(target, name, signal)
    after.push(seen.kind === 'known' ? seen.value : undefined)
  }
  journal.end(number, after)
}

interface Begun {
  readonly kind: 'begun'
  readonly number: number
  readonly things: readonly Thing[]
}

type Prepared = Begun | Failed
