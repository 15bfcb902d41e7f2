import type { PropertySpec, PropertySpecs, Violation } from '../model/property.ts'
import { isSecretSpec } from '../model/secret-spec.ts'
import { didYouMean } from '../model/suggest.ts'
import { decode, holdsTemplate, isGiven } from './decode-value.ts'
import type { ResourceType } from './definition.ts'

export type Checked = Pick<ResourceType, 'type' | 'properties' | 'rules' | 'exclusive'>

type Properties = Readonly<Record<string, unknown>>

/** The decoded values of a resource, or all violations. */
export type DecodedProperties =
  | { readonly ok: true; readonly values: Record<string, unknown> }
  | { readonly ok: false; readonly violations: readonly Violation[] }

/**
 * Decodes the expanded properties of a resource: converts kinds, applies defaults, drops null and undefined, checks
 * rules. Values may come from YAML or from templates, so integers may be `bigint` and maps may be `Map`.
 */
export function decodeProperties(type: Checked, properties: Properties): DecodedProperties {
  const { values, violations } = check(type, properties, () => false)
  return violations.length === 0 ? { ok: true, values } : { ok: false, violations }
}

/** The type with all properties but name and ensure secret, so that no message quotes a value of a sensitive resource. */
export function withSecretValues<Type extends Checked>(type: Type): Type {
  const properties = Object.entries(type.properties).map(([name, spec]) =>
    name === 'name' || name === 'ensure' ? [name, spec] : [name, { ...spec, sensitive: true }],
  )
  return { ...type, properties: Object.fromEntries(properties) }
}

/** The result of checking a resource before its templates are expanded. */
export interface CheckedLiterals {
  readonly violations: readonly Violation[]
  /** The decoded values, if the resource is valid and contains no template. */
  readonly settled?: Readonly<Record<string, unknown>>
}

/**
 * Checks a resource before its templates are expanded. Properties that contain a template, and rules that read them,
 * are skipped; properties that are never expanded are always checked.
 */
export function checkLiterals(
  type: Checked,
  properties: Properties,
  hasTemplate: (text: string) => boolean,
): CheckedLiterals {
  const { violations, open, values } = check(type, properties, hasTemplate)
  return violations.length === 0 && open.size === 0 ? { violations, settled: values } : { violations }
}

/** Checks values alone, for a `defaults` block: required properties and rules do not apply. */
export function checkValues(
  type: Checked,
  properties: Properties,
  hasTemplate: (text: string) => boolean,
): readonly Violation[] {
  const present = Object.fromEntries(Object.entries(properties).filter(([, value]) => isGiven(value)))
  const specs = Object.fromEntries(Object.entries(type.properties).filter(([name]) => Object.hasOwn(present, name)))
  return check({ type: type.type, properties: specs, rules: [], exclusive: [] }, present, hasTemplate).violations
}

interface Findings {
  readonly values: Record<string, unknown>
  readonly violations: Violation[]
  /** Properties whose value is invalid or not yet expanded. */
  readonly open: Set<string>
}

function check(type: Checked, properties: Properties, hasTemplate: (text: string) => boolean): Findings {
  const found: Findings = { values: {}, violations: unknownProperties(type, properties), open: new Set() }
  for (const [name, spec] of entriesOfSpecs(type.properties)) {
    const given = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (spec.phase !== 'never' && holdsTemplate(given, hasTemplate)) found.open.add(name)
    else decodeProperty(name, spec, given, found)
  }
  for (const group of type.exclusive) found.violations.push(...exclusiveViolations(group, properties, found))
  for (const { reads, at, check: problemOf } of type.rules) {
    if (reads.some((name) => found.open.has(name))) continue
    const message = problemOf(found.values)
    if (message !== undefined) found.violations.push({ property: at, message })
  }
  return found
}

const specEntries = new WeakMap<PropertySpecs, readonly (readonly [string, PropertySpec])[]>()

/** Cached: thousands of resources share the same specs. */
function entriesOfSpecs(specs: PropertySpecs): readonly (readonly [string, PropertySpec])[] {
  const known = specEntries.get(specs)
  if (known !== undefined) return known
  const entries = Object.entries(specs)
  specEntries.set(specs, entries)
  return entries
}

function decodeProperty(name: string, spec: PropertySpec, given: unknown, found: Findings): void {
  if (!isGiven(given)) {
    if (spec.required === true) violate(name, `${name} is required`, found)
    else if ('default' in spec && spec.default !== undefined) found.values[name] = spec.default
    return
  }
  const problems: string[] = []
  const value = decode({ label: name, secret: isSecretSpec(spec), problems }, spec, given)
  if (problems.length === 0) found.values[name] = value
  for (const problem of problems) violate(name, problem, found)
}

/** The violation of a group of mutually exclusive properties, reported at the second one. */
function exclusiveViolations(
  group: readonly string[],
  properties: Properties,
  { open, violations }: Findings,
): Violation[] {
  const given = group.filter((name) => Object.hasOwn(properties, name) && isGiven(properties[name]))
  const [, second] = given
  // A template may expand to nothing.
  const isOpen = (name: string): boolean => open.has(name) && !violations.some(({ property }) => property === name)
  if (second === undefined || given.some(isOpen)) return []
  return [{ property: second, message: `only one of ${alternatives(group)} can be set` }]
}

function alternatives(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`)
  const last = quoted.at(-1) ?? ''
  return quoted.length < 3 ? quoted.join(' or ') : `${quoted.slice(0, -1).join(', ')}, or ${last}`
}

function violate(property: string, message: string, found: Findings): void {
  found.violations.push({ property, message })
  found.open.add(property)
}

function unknownProperties(type: Checked, properties: Properties): Violation[] {
  const unknown = Object.keys(properties).filter((name) => !Object.hasOwn(type.properties, name))
  if (unknown.length === 0) return []
  const names = Object.keys(type.properties)
  return unknown.map((property) => ({
    property,
    message: `unknown property "${property}" of type ${type.type}${didYouMean(property, names)}`,
  }))
}

/** Every spelling of the type's properties, mapped to the property. */
export function propertyNames(specs: PropertySpecs): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const [name, spec] of Object.entries(specs)) {
    for (const spelling of [name, ...(spec.aliases ?? [])]) names.set(spelling, name)
  }
  return names
}
