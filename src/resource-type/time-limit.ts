import { rejectWhenIdle } from '../host/live/reject-when-idle.ts'
import type { ApplyOutcome } from '../model/decision.ts'
import { defined } from '../model/defined.ts'
import { type Unknown, unknown, ERROR_REASONS, type NotApplicable, type Observation } from '../model/observation.ts'
import type { Awaitable } from './definition.ts'

interface Interruptible {
  readonly signal: AbortSignal
}

/** The type, for messages, and its timeout in milliseconds; no timeout if undefined. */
export interface Limited {
  readonly type: string
  readonly timeoutMs: number | undefined
}

/** Timeout of plugin types that set none, in milliseconds. */
const DEFAULT_TIMEOUT_MS = 600_000

/** Whether a type comes from a plugin: names of types that ship have no dot. */
export function isFromOutside(type: string): boolean {
  return type.includes('.')
}

/** The timeout of a type; types that ship limit their own waits. */
export function limitOf(type: string, timeoutMs: number | undefined): Limited {
  return { type, timeoutMs: timeoutMs ?? (isFromOutside(type) ? DEFAULT_TIMEOUT_MS : undefined) }
}

/** Longest grace period after an abort, in milliseconds. */
const LONGEST_GRACE_MS = 1000

/**
 * Observes with a timeout: when it expires, the signal is aborted and the answer is a timeout, even if a result comes
 * later. Synchronous answers have no timeout. Rejects if the event loop runs empty without an answer. An invalid answer
 * is `internal`.
 */
export function observeWithin<Context extends Interruptible, Answer>(
  limited: Limited,
  context: Context,
  observe: (context: Context) => Answer | Promise<Answer>,
): Awaitable<Answer | Unknown> {
  const checked = (answer: Answer | Unknown): Answer | Unknown => {
    const problem = problemOf(`observe of ${limited.type} returned`, answer, OBSERVED)
    return problem === undefined ? answer : unknown('internal', problem)
  }
  const answer = answerWithin(limited, context, observe)
  return answer instanceof Promise ? answer.then(checked) : checked(answer)
}

function answerWithin<Context extends Interruptible, Answer>(
  { type, timeoutMs }: Limited,
  context: Context,
  observe: (context: Context) => Answer | Promise<Answer>,
): Awaitable<Answer | Unknown> {
  const subject = `observe of ${type}`
  if (timeoutMs === undefined) {
    const answer = observe(context)
    return answer instanceof Promise ? rejectWhenIdle(answer, subject) : answer
  }
  const limit = startLimit(timeoutMs, context.signal)
  try {
    const answer = observe({ ...context, signal: limit.signal })
    if (!(answer instanceof Promise)) {
      limit.stop()
      return answer
    }
    return limit
      .settle(rejectWhenIdle(answer, subject))
      .then((outcome) => outcome?.answer ?? unknown('timeout', `timed out after ${inWords(timeoutMs)}`))
  } catch (error) {
    limit.stop()
    throw error
  }
}

/**
 * Applies with a timeout: when it expires, the signal is aborted, and after a short grace period the fix has failed,
 * regardless of later results.
 */
export async function applyWithin<Context extends Interruptible>(
  limited: Limited,
  context: Context,
  apply: (context: Context) => Promise<ApplyOutcome>,
): Promise<ApplyOutcome> {
  const outcome = await outcomeWithin(limited, context, apply)
  const message = problemOf(`apply of ${limited.type} returned`, outcome, APPLIED)
  return message === undefined ? outcome : { kind: 'failed', message }
}

async function outcomeWithin<Context extends Interruptible>(
  { type, timeoutMs }: Limited,
  context: Context,
  apply: (context: Context) => Promise<ApplyOutcome>,
): Promise<ApplyOutcome> {
  const subject = `apply of ${type}`
  if (timeoutMs === undefined) return rejectWhenIdle(apply(context), subject)
  const limit = startLimit(timeoutMs, context.signal)
  const applied = Promise.resolve({ ...context, signal: limit.signal }).then(apply)
  const outcome = await limit.settle(rejectWhenIdle(applied, subject))
  if (outcome !== undefined) return outcome.answer
  // The fix may still be writing, and the next observation must not see a partial write.
  const grace = startLimit(Math.min(timeoutMs, LONGEST_GRACE_MS), context.signal)
  const late = await grace.settle(rejectWhenIdle(applied, subject).catch(() => undefined))
  const output = late?.answer?.output
  return {
    kind: 'failed',
    message: `timed out after ${inWords(timeoutMs)}`,
    ...defined({ output }),
  }
}

interface Limit {
  /** Aborted by the timeout and by its parent signal. */
  readonly signal: AbortSignal
  /** Waits for an answer; undefined if the timeout expires first. Stops the timer. */
  readonly settle: <Answer>(answer: Promise<Answer>) => Promise<{ readonly answer: Answer } | undefined>
  readonly stop: () => void
}

function startLimit(timeoutMs: number, outer: AbortSignal): Limit {
  const end = new AbortController()
  const timer = setTimeout(() => end.abort(new Error(`timed out after ${inWords(timeoutMs)}`)), timeoutMs)
  // The timer must not keep the process alive if nothing else can answer.
  timer.unref()
  const stop = (): void => clearTimeout(timer)
  const over = new Promise<undefined>((resolve) => end.signal.addEventListener('abort', () => resolve(undefined)))
  return {
    signal: AbortSignal.any([outer, end.signal]),
    async settle(answer) {
      try {
        const first = await Promise.race([answer.then((value) => ({ answer: value })), over])
        // A listener that reacts to the abort may answer before this code notices it.
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

type Answer = Observation<unknown, unknown> | NotApplicable

/** Whether an answer has the members of its kind. Types may be plain JavaScript, so every answer is validated. */
const OBSERVED: { readonly [Kind in Answer['kind']]: (answer: Extract<Answer, { kind: Kind }>) => boolean } = {
  present: (answer) => 'state' in answer,
  absent: () => true,
  unknown: ({ reason, detail }) => ERROR_REASONS.includes(reason) && typeof detail === 'string',
  'not-applicable': ({ detail }) => typeof detail === 'string',
}

const APPLIED: {
  readonly [Kind in ApplyOutcome['kind']]: (outcome: Extract<ApplyOutcome, { kind: Kind }>) => boolean
} = {
  done: () => true,
  failed: ({ message }) => typeof message === 'string',
}

/** The problem of an answer, as a sentence; undefined if it is valid. */
function problemOf(subject: string, answer: unknown, checks: object): string | undefined {
  if (typeof answer !== 'object' || answer === null) return `${subject} ${String(answer)}, which is not an object`
  const kind: unknown = Reflect.get(answer, 'kind')
  const check: unknown = typeof kind === 'string' && Object.hasOwn(checks, kind) ? Reflect.get(checks, kind) : undefined
  if (typeof check !== 'function') {
    return `${subject} with the kind ${JSON.stringify(kind) ?? 'undefined'}; valid kinds: ${Object.keys(checks).join(', ')}`
  }
  return check(answer) === true ? undefined : `${subject} with an incomplete ${String(kind)}`
}
