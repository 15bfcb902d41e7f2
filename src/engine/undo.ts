import { countOf } from '../core/count-of.ts'
import { decideExit, summarize } from '../core/gate.ts'
import type { PolicyResult, ResourceResult, Run } from '../core/run.ts'
import { createLocalTarget } from '../target/local/local-target.ts'
import { createLocalRemediator } from '../target/local/local-remediator.ts'
import { createBarrier } from '../undo/barrier.ts'
import { journalsIn } from '../undo/journal.ts'
import { openKeeping } from '../undo/keeping.ts'
import type { WrittenJournal } from '../undo/read-journal.ts'
import { type TakenBack, takeBack } from '../undo/take-back.ts'
import { withFixLock } from './local-lock.ts'
import { notPerformed, startClock } from './run.ts'

/** How a fix is taken back. */
export interface UndoOptions {
  /** The ids of the resources that are taken back; all where it is absent. */
  readonly only?: ReadonlySet<string>
  /** Whether what somebody has changed since the fix is put back all the same. */
  readonly force?: boolean
  /** How long to wait for another fix to end, in milliseconds; some seconds where it is absent. */
  readonly waitMs?: number
  readonly signal?: AbortSignal
}

/**
 * Takes a fix of this machine back. Resolves to a run like that of any other fix: `fixed` is what is as it was before, `fix-failed`
 * what is not. It keeps what it replaces, so it can be taken back itself.
 */
export async function undo(journal: WrittenJournal, options: UndoOptions = {}): Promise<Run> {
  const { only, force = false, waitMs, signal = new AbortController().signal } = options
  const target = createLocalTarget()
  const clock = startClock(target, 'fix')
  const outcome = await withFixLock(async (lock) => {
    const barrier = createBarrier()
    const keeping = openKeeping({
      barrier,
      directory: journalsIn(lock.directory),
      start: clock.start,
      policies: journal.head.policies,
      undoes: journal.head.run,
      signal,
    })
    try {
      const remediator = createLocalRemediator({ ...lock.journal, beforeReplacing: barrier.pass })
      const { recorder } = keeping
      const { directory } = journal
      return await takeBack(journal, only, {
        target,
        remediator,
        recorder,
        directory,
        fixJournal: lock.journal,
        force,
        signal,
      })
    } finally {
      keeping.close()
    }
  }, waitMs)
  if (outcome.kind === 'refused') return notPerformed(target, 'fix', [{ message: outcome.message, severity: 'error' }])
  const resources = outcome.value.map(resultOf)
  const { run, startedAt } = journal.head
  return {
    ...clock.stop(signal.aborted),
    policies: policiesOf(journal, outcome.value, resources),
    summary: summarize(resources),
    exit: decideExit({
      results: resources,
      failOn: 'info',
      mode: 'fix',
      ...(signal.aborted && { interruptedBy: 'SIGINT' }),
    }),
    notes: [`this took back the fix ${run} of ${startedAt}`],
  }
}

function policiesOf(
  { head }: WrittenJournal,
  taken: readonly TakenBack[],
  resources: readonly ResourceResult[],
): readonly PolicyResult[] {
  return head.policies
    .map((policy) => ({
      ...policy,
      resources: resources.filter((_, index) => taken[index]?.owner.policy === policy.id),
      controls: [],
    }))
    .filter(({ resources: own }) => own.length > 0)
}

function resultOf({ owner, back, left, problems, warnings }: TakenBack): ResourceResult {
  const { policy: _, ...identity } = owner
  const [first] = problems
  const more = warnings.length === 0 ? {} : { warnings }
  const base = { ...identity, drift: [...back, ...left], controls: [], durationMs: 0, ...more }
  if (first !== undefined) {
    const message = problems.join('; ')
    const failed = { ...base, verdict: 'fix-failed', change: 'cannot', message, actions: [] } as const
    // Where differences are listed, reports show the reason beside them in place of the message.
    return left.length === 0 ? failed : { ...failed, changeReason: message, remaining: left }
  }
  if (back.length === 0)
    return { ...base, verdict: 'compliant', actions: [], message: 'it is as it was before the fix' }
  return { ...base, verdict: 'fixed', actions: [`Put back ${countOf(back.length, 'thing')}`] }
}
