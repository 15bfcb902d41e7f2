import { didYouMean } from '../../model/suggest.ts'
import { MissingValueError, missingValueIn, TemplateError } from '../../templates/errors.ts'
import { missingKey } from './functions.ts'
import type { GoValue } from '../../templates/govalue/index.ts'
import type { Lookup } from './lookup.ts'
import { assertComplete, stepInto, strictValueAt, type Strictness } from './strict-values.ts'
import type { ValueMap } from './environment-options.ts'

/** One of the parts of a lookup document. */
interface Root {
  readonly values: ValueMap
  readonly strictness: Strictness
}

export interface StrictLookup {
  readonly lookup: Lookup
  readonly roots: Readonly<Record<'facts' | 'data' | 'environ', () => Root>>
}

/** Names and numbers joined by dots, without other GJSON syntax. */
const PLAIN_PATH = /^[\p{L}\p{N}_ -]+(\.[\p{L}\p{N}_ -]+)*$/u

/**
 * Finds the value of a path. Without a match, a plain path is followed again through the strict values, which support
 * alternative spellings of facts, unreadable values and suggestions. Throws a `MissingValueError` for a missing value,
 * and a plain `TemplateError` for a path with an unknown root.
 */
export function findStrictly(path: string, { lookup, roots }: StrictLookup): GoValue | undefined {
  const name = /^[^.|#@]*/.exec(path)?.[0] ?? ''
  const isPlain = PLAIN_PATH.test(path)
  if (isPlain && !isRoot(name, roots)) throw unknownRoot(path, name)
  const found = lookup(path)
  const root = isRoot(name, roots) ? roots[name]() : undefined
  const [, ...steps] = isPlain ? path.split('.') : [name]
  if (root === undefined) {
    // It may reach all parts.
    assertComplete(roots.facts().strictness, [])
    return found
  }
  if (found === undefined) return isPlain ? follow(path, steps, root) : refuseUnread(root, steps)
  const isWhole = typeof found === 'object' && found !== null
  if (isWhole || !isPlain) assertComplete(root.strictness, steps)
  return isPlain && isWhole ? strictValueAt(found, root.strictness, steps) : found
}

function isRoot(name: string, roots: StrictLookup['roots']): name is keyof StrictLookup['roots'] {
  return Object.hasOwn(roots, name)
}

function unknownRoot(path: string, name: string): TemplateError {
  const known = ['facts', 'data', 'environ', 'resources']
  const meant = didYouMean(name, known).replace(/^, /, '')
  const hint = meant === '' ? `a path starts with ${known.slice(0, -1).join(', ')} or ${known.at(-1)}` : meant
  return new TemplateError(missingKey(path), undefined, { hint })
}

function follow(path: string, steps: readonly string[], { values }: Root): GoValue {
  try {
    return steps.reduce<GoValue>(stepInto, values)
  } catch (error) {
    const missing = missingValueIn(error)
    if (missing?.certainty !== 'none') throw error
    throw new MissingValueError(missingKey(path), { certainty: 'none', cause: error, hint: missing.hint })
  }
}

function refuseUnread({ strictness }: Root, steps: readonly string[]): undefined {
  assertComplete(strictness, steps)
  return undefined
}
