import { defined } from '../model/defined.ts'
import type { ApplyOutcome } from '../model/decision.ts'
import { type Unknown, unknown } from '../model/observation.ts'
import type { Awaitable } from './definition.ts'

/** What is told to stop. */
interface Interruptible {
  readonly signal: AbortSignal
}

/** How long what was told to stop may take to do so, at most, in milliseconds. */
const LONGEST_GRACE_MS = 1000

/**
 * Looks with a time limit: at its end the signal is aborted and the answer is a timeout, whatever comes later. What
 * answers at once is not limited.
 */
export function observeWithin<Context extends Interruptible, Answer>(
  timeoutMs: number | undefined,
  context: Context,
  observe: (context: Context) => Answer | Promise<Answer>,
): Awaitable<Answer | Unknown> {
  if (timeoutMs === undefined) return observe(context)
  const limit = startLimit(timeoutMs, context.signal)
  try {
    const answer = observe({ ...context, signal: limit.signal })
    if (!(answer instanceof Promise)) {
      limit.stop()
      return answer
    }
    return limit
      .settle(answer)
      .then((outcome) => outcome?.answer ?? unknown('timeout', `no answer within ${inWords(timeoutMs)}`))
  } catch (error) {
    limit.stop()
    throw error
  }
}

/**
 * Applies with a time limit: at its end the signal is aborted, and after a short time to clean up the fix has failed, even
 * if it says otherwise later.
 */
export async function applyWithin<Context extends Interruptible>(
  timeoutMs: number | undefined,
  context: Context,
  apply: (context: Context) => Promise<ApplyOutcome>,
): Promise<ApplyOutcome> {
  if (timeoutMs === undefined) return apply(context)
  const limit = startLimit(timeoutMs, context.signal)
  const applied = Promise.resolve({ ...context, signal: limit.signal }).then(apply)
  const outcome = await limit.settle(applied)
  if (outcome !== undefined) return outcome.answer
  // It may still be writing, and the look that follows must not see that.
  const grace = startLimit(Math.min(timeoutMs, LONGEST_GRACE_MS), context.signal)
  const late = await grace.settle(applied.catch(() => undefined))
  const output = late?.answer?.output
  return {
    kind: 'failed',
    message: `not done within ${inWords(timeoutMs)}`,
    ...defined({ output }),
  }
}

interface Limit {
  /** Aborted by the limit and by whatever aborts the signal it started from. */
  readonly signal: AbortSignal
  /** Waits for an answer; undefined where the limit came first. Ends the limit. */
  readonly settle: <Answer>(answer: Promise<Answer>) => Promise<{ readonly answer: Answer } | undefined>
  readonly stop: () => void
}

function startLimit(timeoutMs: number, outer: AbortSignal): Limit {
  const end = new AbortController()
  const timer = setTimeout(() => end.abort(new Error(`not done within ${inWords(timeoutMs)}`)), timeoutMs)
  const stop = (): void => clearTimeout(timer)
  const over = new Promise<undefined>((resolve) => end.signal.addEventListener('abort', () => resolve(undefined)))
  return {
    signal: AbortSignal.any([outer, end.signal]),
    async settle(answer) {
      try {
        const first = await Promise.race([answer.then((value) => ({ answer: value })), over])
        // What hears of the end at once may answer before the end itself is noticed here.
        return end.signal.aborted ? undefined : first
      } finally {
        stop()
      }
    },
    stop,
  }
}

function inWords(milliseconds: number): string {
  return milliseconds % 1000 === 0 ? `${milliseconds / 1000} s` : `${milliseconds} ms`
}
