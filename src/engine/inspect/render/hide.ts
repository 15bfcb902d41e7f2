import { SHORTEST_FINDABLE } from '../../../model/secret-text.ts'
import { valueAt } from '../../../policy/data/merge.ts'
import { createRedactor, type Redactor } from '../../../policy/secrets/redactor.ts'
import { formatGoValue, type GoValue } from '../../../templates/govalue/index.ts'
import { escapeBeforeExpression, escapeTemplate } from './escape-template.ts'
import type { Evaluation } from '../../../policy/expand/evaluation.ts'

/** Replacements for secrets in a rendered policy. */
export interface StandIns {
  /** Template of a text: secrets become data references, everything else is escaped. */
  readonly template: (text: string) => string
  /** Template of a value that is secret as a whole, under its own name in the data. */
  readonly whole: (leaf: Leaf, name: string) => unknown
  /** A text that is not evaluated again, with secrets redacted. */
  readonly shown: (text: string) => string
  /** True if a data value is hidden. */
  readonly hides: (path: readonly string[]) => boolean
  /** Names passed to `whole`. */
  readonly names: ReadonlySet<string>
}

/** Data of a policy, the paths of its secrets, and all known secret texts. */
export type Secrets = Pick<Evaluation, 'secretPaths' | 'secrets' | 'data'>

/** Data key below which wholly secret values have their names. */
export const HIDDEN_KEY = 'rendered_secrets'

/** A scalar value. */
export type Leaf = string | number | bigint | boolean

/** Hides nothing: a template is the escaped text. */
export function hideNothing(): StandIns {
  return {
    template: escapeTemplate,
    whole: (leaf) => (typeof leaf === 'string' ? escapeTemplate(leaf) : leaf),
    shown: (text) => text,
    hides: () => false,
    names: new Set(),
  }
}

/** Replaces secrets by references to data, which must be supplied again. */
export function hideSecrets({ secretPaths, secrets, data }: Secrets): StandIns {
  const references = new Map<string, string>()
  const redactor = createRedactor(secrets)
  for (const path of secretPaths) collect(valueAt(data, path) ?? null, path.map(String), references)
  const embedded = patternOf([...references.keys()].filter(({ length }) => length >= SHORTEST_FINDABLE))
  const names = new Set<string>()
  return {
    template(text) {
      const reference = references.get(text)
      if (reference !== undefined) return `{{ ${reference} }}`
      return embedded === undefined
        ? escapeTemplate(redactor.text(text))
        : embed(text, embedded, { references, redactor })
    },
    whole(leaf, name) {
      const reference = references.get(String(leaf))
      if (reference !== undefined) return `{{ ${reference} }}`
      names.add(name)
      return `{{ ${referenceTo([HIDDEN_KEY, name])} }}`
    },
    shown: redactor.text,
    hides: (path) => secretPaths.some((secret) => secret.every((key, at) => path[at] === key)),
    names,
  }
}

/** Collects the expression of each text in a value; list items by index. */
function collect(value: GoValue, path: readonly (string | number)[], references: Map<string, string>): void {
  if (Array.isArray(value)) value.forEach((item, at) => collect(item, [...path, at], references))
  else if (value instanceof Map) for (const [key, item] of value) collect(item, [...path, String(key)], references)
  else if (value !== null && value !== '' && typeof value !== 'boolean') {
    references.set(formatGoValue(value), referenceTo(path))
  }
}

function referenceTo(path: readonly (string | number)[]): string {
  const steps = path.map((key) => {
    if (typeof key === 'number') return `[${key}]`
    return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
  })
  return `Data${steps.join('')}`
}

/** Matches the longest of the texts at a position; the group makes `split` keep it. */
function patternOf(texts: readonly string[]): RegExp | undefined {
  if (texts.length === 0) return undefined
  const longestFirst = texts.toSorted((left, right) => right.length - left.length)
  return new RegExp(
    `(${longestFirst.map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)).join('|')})`,
    'g',
  )
}

interface Embedding {
  readonly references: ReadonlyMap<string, string>
  readonly redactor: Redactor
}

/** A value derived from a secret has no reference and is redacted. */
function embed(text: string, secrets: RegExp, { references, redactor }: Embedding): string {
  const parts = text.split(secrets)
  return parts
    .map((part, at) => {
      const reference = at % 2 === 1 ? references.get(part) : undefined
      if (reference !== undefined) return `{{ ${reference} }}`
      const shown = redactor.text(part)
      return at === parts.length - 1 ? escapeTemplate(shown) : escapeBeforeExpression(shown)
    })
    .join('')
}
