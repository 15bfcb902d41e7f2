import { didYouMean } from '../../model/suggest.ts'
import { factsOfPath } from '../../policy/template/fact-families.ts'
import { formatGoValue, type GoValue } from '../../templates/govalue/index.ts'
import { createLookup } from '../../policy/template/lookup.ts'
import { TemplateError } from '../../policy/template/index.ts'
import type { PolicyInputs } from '../../policy/expand/inputs.ts'

/** Facts at a lookup path, or an error sentence. */
export type FoundFacts =
  { readonly ok: true; readonly value: GoValue } | { readonly ok: false; readonly message: string }

/** Finds facts by a lookup path without `facts.`; all facts without a path. Gathers only the named family. */
export function findFacts(inputs: PolicyInputs, path: string | undefined): FoundFacts {
  if (path === undefined) return { ok: true, value: inputs.facts('all').values }
  const { values: facts, unread } = inputs.facts(factsOfPath(`facts.${path}`))
  const lookup = createLookup({ facts: () => facts, data: () => new Map(), environ: () => new Map() })
  try {
    const value = lookup(`facts.${path}`)
    if (value !== undefined) return { ok: true, value }
    const hidden = unread.find((each) => each.path.every((step, at) => path.split('.')[at] === step))
    return { ok: false, message: hidden?.detail ?? notFound(inputs, path) }
  } catch (error) {
    if (error instanceof TemplateError) return { ok: false, message: error.message }
    throw error
  }
}

/** Follows a path to its first wrong part, to suggest alternatives. */
function notFound(inputs: PolicyInputs, path: string): string {
  const parts = path.split('.')
  const message = `no fact "${path}"`
  if (parts[0] === 'facts' && parts.length > 1) return `${message}, did you mean "${parts.slice(1).join('.')}"?`
  let value: GoValue = inputs.facts('all').values
  const known: string[] = []
  for (const part of parts) {
    if (Array.isArray(value))
      return `${message}, "${known.join('.')}" is a list of ${value.length}: use a number, # or #.key`
    if (!(value instanceof Map)) return `${message}, "${known.join('.')}" is ${formatGoValue(value)}`
    const next: GoValue | undefined = value.get(part)
    if (next === undefined) {
      const keys = [...value.keys()].map((key) => [...known, formatGoValue(key)].join('.'))
      const hint = didYouMean([...known, part].join('.'), keys)
      return `${message}${hint === '' ? `; known: ${keys.join(', ')}` : hint}`
    }
    value = next
    known.push(part)
  }
  return message
}
