import { SHORTEST_FINDABLE } from '../../../model/secret-text.ts'
import { valueAt } from '../../../policy/data/merge.ts'
import { createRedactor, type Redactor } from '../../../policy/secrets/redactor.ts'
import { formatGoValue, type GoValue } from '../../../templates/govalue/index.ts'
import { escapeBeforeExpression, escapeTemplate } from './escape-template.ts'
import type { Evaluation } from '../../../policy/expand/evaluation.ts'

/** What stands for secrets in a rendered policy. */
export interface StandIns {
  /** The template of a text: secrets read from the data they come from, everything else escaped. */
  readonly template: (text: string) => string
  /** The template for a value that is secret as a whole, under a name of its own in the data. */
  readonly whole: (leaf: Leaf, name: string) => unknown
  /** A text that is not evaluated again, with every secret replaced. */
  readonly shown: (text: string) => string
  /** Whether a value of the data is hidden. */
  readonly hides: (path: readonly string[]) => boolean
  /** The names given to `whole`. */
  readonly names: ReadonlySet<string>
}

/** The data of a policy with the keys that lead to secrets, and all secrets that are known as text. */
export type Secrets = Pick<Evaluation, 'secretPaths' | 'secrets' | 'data'>

/** The key of the data below which texts that are secret as a whole have their names. */
export const HIDDEN_KEY = 'rendered_secrets'

/** A value that consists of no others. */
export type Leaf = string | number | bigint | boolean

/** Shows everything: a template is then nothing but the escaped text. */
export function hideNothing(): StandIns {
  return {
    template: escapeTemplate,
    whole: (leaf) => (typeof leaf === 'string' ? escapeTemplate(leaf) : leaf),
    shown: (text) => text,
    hides: () => false,
    names: new Set(),
  }
}

/** Hides what is secret in the data: what needs it reads it from the data, which has to be given again. */
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

/** The expression for each text of a value; the items of a list by their index. */
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

/** Matches the longest of the texts that start at a place, as a group so that splitting keeps it. */
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

/** What was made of secrets has no reference, so it is taken out. */
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
