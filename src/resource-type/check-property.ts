import type { PropertySpec, TextSpec } from '../model/property.ts'
import type { OrderName } from '../model/value-orders.ts'
import { decode } from './decode-value.ts'

/** Problems that prevent further checks of a property definition. The definition is untyped: plugins may be plain JavaScript. */
export function shapeProblems(label: string, spec: unknown): string[] {
  if (typeof spec !== 'object' || spec === null) return [`property "${label}" has no specification: { kind, summary }`]
  const { kind, summary, items, values } = spec as { readonly [key: string]: unknown }
  if (typeof kind !== 'string' || !Object.hasOwn(OWN_KEYS, kind)) {
    const kinds = Object.keys(OWN_KEYS).join(', ')
    return [`property "${label}" has the kind ${JSON.stringify(kind)}; the kinds are ${kinds}`]
  }
  return [
    ...(typeof summary === 'string' ? [] : [`property "${label}" has no summary`]),
    ...(kind === 'list' ? shapeProblems(`${label}[]`, items) : []),
    ...(kind === 'map' ? shapeProblems(`${label}.*`, values) : []),
  ]
}

/** The problems of a property definition, each as a sentence that names the property. */
export function specProblems(label: string, spec: PropertySpec): string[] {
  const said = (problem: string): string => `property "${label}" ${problem}`
  return [
    ...(spec.summary.trim() === '' ? [said('has no summary')] : []),
    ...unknownKeys(spec).map((key) => said(`has "${key}", which does not apply to a property of kind ${spec.kind}`)),
    ...kindProblems(spec).map(said),
    ...acceptsProblems(spec).map(said),
    ...defaultProblems(spec).map(said),
    ...(spec.kind === 'list' ? specProblems(`${label}[]`, spec.items) : []),
    ...(spec.kind === 'map' ? specProblems(`${label}.*`, spec.values) : []),
  ]
}

const COMMON_KEYS = ['kind', 'summary', 'required', 'phase', 'sensitive', 'aliases', 'parameter']

const OWN_KEYS: Readonly<Record<PropertySpec['kind'], readonly string[]>> = {
  text: ['default', 'oneOf', 'nonEmpty', 'absolutePath', 'pattern', 'accepts'],
  boolean: ['default'],
  integer: ['default', 'minimum', 'maximum', 'oneOf', 'base', 'accepts'],
  duration: ['default', 'accepts'],
  list: ['items', 'nonEmpty', 'accepts'],
  map: ['values', 'nonEmpty'],
  any: [],
}

/** A misspelt constraint would have no effect, and plain JavaScript has no compiler to reject it. */
function unknownKeys(spec: PropertySpec): string[] {
  const known = new Set([...COMMON_KEYS, ...OWN_KEYS[spec.kind]])
  return Object.keys(spec).filter((key) => !known.has(key))
}

function kindProblems(spec: PropertySpec): string[] {
  switch (spec.kind) {
    case 'text':
      return [...choiceProblems(spec.oneOf), ...patternProblems(spec)]
    case 'integer': {
      const { minimum = -Infinity, maximum = Infinity, base = 10, oneOf } = spec
      return [
        ...choiceProblems(oneOf),
        ...(minimum > maximum ? ['has a minimum above its maximum'] : []),
        ...(Number.isInteger(base) && base >= 2 && base <= 36 ? [] : ['has a base that is not between 2 and 36']),
      ]
    }
    default:
      return []
  }
}

function acceptsProblems(spec: PropertySpec): string[] {
  if (!('accepts' in spec) || spec.accepts === undefined) return []
  const meant: readonly string[] = ORDERS_OF[spec.kind]
  if (!meant.includes(spec.accepts)) {
    return [`accepts values in the order "${spec.accepts}", which does not apply to a property of kind ${spec.kind}`]
  }
  if (spec.kind !== 'list' || COMPARABLE.includes(spec.items.kind)) return []
  return [`accepts lists of kind ${spec.items.kind}, which cannot be compared`]
}

const ORDERS_OF: Readonly<Record<PropertySpec['kind'], readonly OrderName[]>> = {
  text: ['text', 'lines', 'account', 'fields', 'setting', 'size', 'version', 'mode'],
  integer: ['number'],
  duration: ['duration'],
  list: ['list', 'set'],
  boolean: [],
  map: [],
  any: [],
}

const COMPARABLE: readonly PropertySpec['kind'][] = ['text', 'integer', 'boolean', 'duration']

function choiceProblems(oneOf: readonly unknown[] | undefined): string[] {
  if (oneOf === undefined) return []
  if (oneOf.length === 0) return ['allows no value']
  return new Set(oneOf).size < oneOf.length ? ['allows one value twice'] : []
}

function patternProblems({ pattern }: TextSpec): string[] {
  if (pattern === undefined) return []
  try {
    new RegExp(`^(?:${pattern.expression})$`, 'u')
    return []
  } catch {
    return [`has the pattern ${pattern.expression}, which is not a regular expression`]
  }
}

function defaultProblems(spec: PropertySpec): string[] {
  if (!('default' in spec) || spec.default === undefined) return []
  if (spec.required === true) return ['is required, so its default is never used']
  if (spec.kind === 'duration') {
    return Number.isFinite(spec.default) && spec.default >= 0
      ? []
      : ['has a default that is not a number of milliseconds']
  }
  // With another mistake in the definition the default cannot be checked.
  if (kindProblems(spec).length > 0) return []
  const problems: string[] = []
  decode({ label: 'its default', secret: false, problems }, spec, spec.default)
  return problems.map((problem) => `has a default it does not allow: ${problem}`)
}
