import { type Annotation, isSensitivePath } from '../../data/annotations.ts'
import { type DataMap, valueAt } from '../../data/merge.ts'
import { formatGoValue, type GoValue } from '../../template/govalue/index.ts'
import { escapeBeforeExpression, escapeTemplate } from '../escape-template.ts'
import { SECRET } from '../redact-value.ts'

/** What stands for secrets in a rendered policy. */
export interface Hiding {
  /** The template of a text: secrets read from the data they come from, everything else escaped. */
  readonly template: (text: string) => string
  /** The template for a text that is secret as a whole, under a name of its own in the data. */
  readonly whole: (text: string, name: string) => string
  /** A text that is not evaluated again, with every secret replaced. */
  readonly shown: (text: string) => string
  /** Whether a value of the data is hidden. */
  readonly hides: (path: readonly string[]) => boolean
  /** The names given to `whole`. */
  readonly names: ReadonlySet<string>
}

/** The key of the data below which texts that are secret as a whole have their names. */
export const HIDDEN_KEY = 'rendered_secrets'

/** A secret shorter than this is only hidden where it is the whole text, as in reports. */
const SHORTEST_EMBEDDED_SECRET = 4

/** Shows everything: a template is then nothing but the escaped text. */
export function hideNothing(): Hiding {
  return {
    template: escapeTemplate,
    whole: escapeTemplate,
    shown: (text) => text,
    hides: () => false,
    names: new Set(),
  }
}

/** Hides the data marked `@sensitive`: what needs it reads it from the data, which has to be given again. */
export function hideSecrets(annotations: readonly Annotation[], data: DataMap): Hiding {
  const sensitive = annotations.filter(({ directive }) => directive === 'sensitive').map(({ path }) => path)
  const references = new Map<string, string>()
  for (const path of sensitive) collect(valueAt(data, path) ?? null, path.map(String), references)
  const embedded = patternOf([...references.keys()].filter(({ length }) => length >= SHORTEST_EMBEDDED_SECRET))
  const names = new Set<string>()
  return {
    template(text) {
      const reference = references.get(text)
      if (reference !== undefined) return `{{ ${reference} }}`
      return embedded === undefined ? escapeTemplate(text) : embed(text, embedded, references)
    },
    whole(text, name) {
      const reference = references.get(text)
      if (reference !== undefined) return `{{ ${reference} }}`
      names.add(name)
      return `{{ ${referenceTo([HIDDEN_KEY, name])} }}`
    },
    shown: (text) => {
      if (references.has(text)) return SECRET
      return embedded === undefined ? text : text.replaceAll(embedded, SECRET)
    },
    hides: (path) => isSensitivePath(annotations, path),
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

function embed(text: string, secrets: RegExp, references: ReadonlyMap<string, string>): string {
  const parts = text.split(secrets)
  return parts
    .map((part, at) => {
      const reference = at % 2 === 1 ? references.get(part) : undefined
      if (reference !== undefined) return `{{ ${reference} }}`
      return at === parts.length - 1 ? escapeTemplate(part) : escapeBeforeExpression(part)
    })
    .join('')
}
