import { createHmac, randomBytes } from 'node:crypto'
import { type Acceptance, isAcceptance } from '../core/acceptance.ts'
import type { Drift, Redacted, ReportValue } from '../core/drift.ts'

/** Keeps secrets out of everything a run says. */
export interface Redactor {
  /** From now on, this text is replaced wherever it appears. */
  readonly addSecret: (secret: string) => void
  /** Whether a known secret is part of the text. */
  readonly holdsSecret: (text: string) => boolean
  /** The text with every known secret replaced. */
  readonly text: (text: string) => string
  /** A value with every known secret replaced; a text that is a secret becomes a `Redacted`. */
  readonly value: (value: ReportValue) => ReportValue
  /** Hides a value entirely. Equal values have equal digests on one machine. */
  readonly hide: (value: ReportValue) => Redacted
  /** A drift of a resource whose values are secret: both hidden, and no diff. */
  readonly hideDrift: (drift: Drift) => Drift
}

/** Shorter secrets would blank out half of every sentence; they are replaced only where they are the whole text. */
const SHORTEST_EMBEDDED_SECRET = 4

/**
 * Makes the redactor of a run. `key` should be stable for a machine and not part of any report, so that a digest tells
 * two values apart without letting a reader of the report try out guesses; a random one serves where there is none.
 */
export function createRedactor(key: string | undefined): Redactor {
  const digestKey = key ?? randomBytes(16)
  const secrets = new Set<string>()
  let longestFirst: readonly string[] | undefined
  const hide = (value: ReportValue): Redacted => ({
    redacted: true,
    digest: createHmac('sha256', digestKey).update(JSON.stringify(value)).digest('hex').slice(0, 16),
  })
  const text = (original: string): string => {
    if (secrets.size === 0) return original
    if (secrets.has(original)) return '(secret)'
    longestFirst ??= byLength([...secrets].filter(({ length }) => length >= SHORTEST_EMBEDDED_SECRET))
    return longestFirst.reduce((result, secret) => result.replaceAll(secret, '(secret)'), original)
  }
  return {
    addSecret(secret) {
      if (secret === '' || secrets.has(secret)) return
      secrets.add(secret)
      longestFirst = undefined
    },
    holdsSecret: (original) => secrets.size > 0 && text(original) !== original,
    text,
    value(value) {
      if (isAcceptance(value)) return mapTexts(value, text)
      return typeof value !== 'string' ? value : secrets.has(value) ? hide(value) : text(value)
    },
    hide,
    hideDrift: ({ property, path, desired, observed }) => ({
      property,
      desired: hide(desired),
      observed: hide(observed),
      ...(path === undefined ? {} : { path }),
    }),
  }
}

/** An acceptance with every text in it mapped, patterns among them. */
function mapTexts(acceptance: Acceptance, map: (text: string) => string): Acceptance {
  const mapped = (operand: unknown): unknown => {
    if (typeof operand === 'string') return map(operand)
    return Array.isArray(operand) ? operand.map(mapped) : operand
  }
  return Object.fromEntries(Object.entries(acceptance).map(([word, operand]) => [word, mapped(operand)]))
}

/** A sentence about a resource whose values are secrets without them; short ones stand in quotes where they are said. */
export function hideTexts(sentence: string, secrets: readonly string[]): string {
  return byLength([...new Set(secrets)]).reduce((text, secret) => {
    const isEmbedded = secret.length >= SHORTEST_EMBEDDED_SECRET
    return isEmbedded ? text.replaceAll(secret, '(secret)') : text.replaceAll(`"${secret}"`, '"(secret)"')
  }, sentence)
}

function byLength(texts: readonly string[]): readonly string[] {
  return texts.toSorted((left, right) => right.length - left.length)
}
