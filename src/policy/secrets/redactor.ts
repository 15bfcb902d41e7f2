import { createHmac, hash, randomBytes } from 'node:crypto'
import { type Acceptance, isAcceptance } from '../../model/acceptance.ts'
import type { Drift, Redacted, ReportValue } from '../../model/drift.ts'
import type { Problem } from '../../model/problem.ts'
import { hideCutSecrets, SECRET, writtenForms } from './forms.ts'
import { SHORTEST_FINDABLE } from '../../model/secret-text.ts'

export { SECRET } from './forms.ts'

/** Removes secrets from all output of a run. */
export interface Redactor {
  /** Adds a text to replace from now on. */
  readonly addSecret: (secret: string) => void
  readonly knowsSecrets: () => boolean
  /** Whether the text contains a known secret. */
  readonly holdsSecret: (text: string) => boolean
  /** Replaces every known secret in a text. */
  readonly text: (text: string) => string
  /** Replaces every known secret in a value; a text or number that is a secret becomes a `Redacted`. */
  readonly value: (value: ReportValue) => ReportValue
  /** Identifies a text: its sha256 in hex, or if it contains a secret, the digest of `hide`. */
  readonly digest: (text: string) => string
  /** Hides a value entirely. Equal values have equal digests on one machine. */
  readonly hide: (value: ReportValue) => Redacted
  /** Hides both values of a drift, and removes its diff and note. */
  readonly hideDrift: (drift: Drift) => Drift
}

/**
 * Makes a redactor with known secrets. `key` should be stable for a machine and not part of any report, so that a
 * digest shows whether two values differ, but guesses cannot be verified; a random key is used by default.
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
    if (secrets.has(original)) return SECRET
    longestFirst ??= byLength([...secrets].flatMap(writtenForms))
    const hidden = longestFirst.reduce((result, secret) => result.replaceAll(secret, SECRET), original)
    return hideCutSecrets(hidden, longestFirst)
  }
  // A number with few digits is too common to be treated as the secret one.
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

/** A unique encoding of a text, even if parts of it are not valid UTF-8. */
function withoutLoss(text: string): string {
  return /\p{Cs}/u.test(text) ? JSON.stringify(text) : text
}

/** Maps every text in an acceptance, including patterns, and removes secret numbers. */
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

/** Redacts secrets in a problem: in its message, and its source line is removed if it contains one. */
export function redactProblem({ sourceLine, ...problem }: Problem, redactor: Redactor): Problem {
  const shown = { ...problem, message: redactor.text(problem.message) }
  return sourceLine === undefined || redactor.holdsSecret(sourceLine) ? shown : { ...shown, sourceLine }
}

/** Redacts a sentence about a sensitive resource; short values are replaced only in quotes. */
export function hideTexts(sentence: string, secrets: readonly string[]): string {
  return byLength([...new Set(secrets)]).reduce((text, secret) => {
    const isEmbedded = secret.length >= SHORTEST_FINDABLE
    return isEmbedded ? text.replaceAll(secret, SECRET) : text.replaceAll(`"${secret}"`, `"${SECRET}"`)
  }, sentence)
}

function byLength(texts: readonly string[]): readonly string[] {
  return texts.toSorted((left, right) => right.length - left.length)
}
