import { createHmac, hash, randomBytes } from 'node:crypto'
import { type Acceptance, isAcceptance } from '../../model/acceptance.ts'
import type { Drift, Redacted, ReportValue } from '../../model/drift.ts'
import type { Problem } from '../../model/problem.ts'
import { hideCutSecrets, SECRET, writtenForms } from './forms.ts'
import { SHORTEST_FINDABLE } from '../../model/secret-text.ts'

export { SECRET } from './forms.ts'

/** Keeps secrets out of everything a run says. */
export interface Redactor {
  /** From now on, this text is replaced wherever it appears. */
  readonly addSecret: (secret: string) => void
  /** Whether any secret is known by now. */
  readonly knowsSecrets: () => boolean
  /** Whether a known secret is part of the text. */
  readonly holdsSecret: (text: string) => boolean
  /** The text with every known secret replaced. */
  readonly text: (text: string) => string
  /** A value with every known secret replaced; a text or number that is a secret becomes a `Redacted`. */
  readonly value: (value: ReportValue) => ReportValue
  /** Tells a text from others: its sha256 in hex, or where a secret is in it what `hide` has. */
  readonly digest: (text: string) => string
  /** Hides a value entirely. Equal values have equal digests on one machine. */
  readonly hide: (value: ReportValue) => Redacted
  /** A drift whose values are secret: both hidden, and neither diff nor note. */
  readonly hideDrift: (drift: Drift) => Drift
}

/**
 * Makes a redactor that knows these secrets. `key` should be stable for a machine and not part of any report, so that a
 * digest tells two values apart without letting a reader of the report try out guesses; a random one serves without
 * one.
 */
export function createRedactor(known: Iterable<string>, key?: string): Redactor {
  const digestKey = key ?? randomBytes(16)
  const secrets = new Set<string>()
  let longestFirst: readonly string[] | undefined
  const addSecret = (secret: string): void => {
    if (secret === '' || secrets.has(secret)) return
    secrets.add(secret)
    longestFirst = undefined
  }
  for (const secret of known) addSecret(secret)
  const hide = (value: ReportValue): Redacted => ({
    redacted: true,
    digest: createHmac('sha256', digestKey).update(JSON.stringify(value)).digest('hex').slice(0, 16),
  })
  const text = (original: string): string => {
    if (secrets.size === 0) return original
    if (secrets.has(original)) return SECRET
    longestFirst ??= byLength([...secrets].flatMap(writtenForms))
    const hidden = longestFirst.reduce((result, secret) => result.replaceAll(secret, SECRET), original)
    return hideCutSecrets(hidden, longestFirst)
  }
  // A number of few digits is too common to be taken for the one that is a secret.
  const isSecretNumber = (number: number): boolean =>
    String(number).length >= SHORTEST_FINDABLE && secrets.has(String(number))
  return {
    addSecret,
    knowsSecrets: () => secrets.size > 0,
    holdsSecret: (original) => text(original) !== original,
    text,
    value(value) {
      if (typeof value === 'string') return secrets.has(value) ? hide(value) : text(value)
      if (typeof value === 'number') return isSecretNumber(value) ? hide(value) : value
      return isAcceptance(value) ? mapAcceptance(value, text, isSecretNumber) : value
    },
    digest: (original) =>
      text(original) === original ? hash('sha256', withoutLoss(original), 'hex') : hide(original).digest,
    hide,
    hideDrift: ({ property, path, desired, observed }) => ({
      property,
      desired: hide(desired),
      observed: hide(observed),
      ...(path === undefined ? {} : { path: text(path) }),
    }),
  }
}

/** A text as bytes that are its own, although some were not UTF-8. */
function withoutLoss(text: string): string {
  return /\p{Cs}/u.test(text) ? JSON.stringify(text) : text
}

/** An acceptance with every text in it mapped, patterns among them, and without its secret numbers. */
function mapAcceptance(
  acceptance: Acceptance,
  map: (text: string) => string,
  isSecretNumber: (number: number) => boolean,
): Acceptance {
  const mapped = (operand: unknown): unknown => {
    if (typeof operand === 'string') return map(operand)
    if (typeof operand === 'number') return isSecretNumber(operand) ? SECRET : operand
    return Array.isArray(operand) ? operand.map(mapped) : operand
  }
  return Object.fromEntries(Object.entries(acceptance).map(([word, operand]) => [word, mapped(operand)]))
}

/** A problem without secrets: its message loses them, and the line it stands on is not shown if it has one. */
export function redactProblem({ sourceLine, ...problem }: Problem, redactor: Redactor): Problem {
  const shown = { ...problem, message: redactor.text(problem.message) }
  return sourceLine === undefined || redactor.holdsSecret(sourceLine) ? shown : { ...shown, sourceLine }
}

/** A sentence about a resource whose values are secrets without them; short ones stand in quotes where they are said. */
export function hideTexts(sentence: string, secrets: readonly string[]): string {
  return byLength([...new Set(secrets)]).reduce((text, secret) => {
    const isEmbedded = secret.length >= SHORTEST_FINDABLE
    return isEmbedded ? text.replaceAll(secret, SECRET) : text.replaceAll(`"${secret}"`, `"${SECRET}"`)
  }, sentence)
}

function byLength(texts: readonly string[]): readonly string[] {
  return texts.toSorted((left, right) => right.length - left.length)
}
