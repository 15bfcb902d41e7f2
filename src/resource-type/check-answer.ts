import type { ApplyOutcome } from '../model/decision.ts'
import { ERROR_REASONS, type NotApplicable, type Observation } from '../model/observation.ts'

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

/** The problem of an answer of `observe`, as a sentence that names the type; undefined if it is valid. */
export function answerProblem(type: string, answer: unknown): string | undefined {
  return problemOf(`observe of ${type} returned`, answer, OBSERVED)
}

/** The problem of an outcome of `apply`, as a sentence that names the type; undefined if it is valid. */
export function outcomeProblem(type: string, outcome: unknown): string | undefined {
  return problemOf(`apply of ${type} returned`, outcome, APPLIED)
}

function problemOf(subject: string, answer: unknown, checks: object): string | undefined {
  if (typeof answer !== 'object' || answer === null) return `${subject} ${String(answer)}, which is not an object`
  const kind: unknown = Reflect.get(answer, 'kind')
  const check: unknown = typeof kind === 'string' && Object.hasOwn(checks, kind) ? Reflect.get(checks, kind) : undefined
  if (typeof check !== 'function') {
    return `${subject} with the kind ${JSON.stringify(kind) ?? 'undefined'}; valid kinds: ${Object.keys(checks).join(', ')}`
  }
  return check(answer) === true ? undefined : `${subject} with an incomplete ${String(kind)}`
}
