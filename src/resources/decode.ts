import { parseDuration } from '../core/duration.ts'
import { absolutePathProblem } from '../core/path-rules.ts'
import type { PropertySpec, PropertySpecs, TextSpec, Violation } from '../core/property.ts'
import { didYouMean } from '../core/suggest.ts'
import type { ResourceType } from './define.ts'

/** What checking needs of a resource type. */
export type Checked = Pick<ResourceType, 'type' | 'properties' | 'rules'>

type Properties = Readonly<Record<string, unknown>>

/** The settled values of a resource, or everything that is wrong with them. */
export type DecodedProperties =
  | { readonly ok: true; readonly values: Record<string, unknown> }
  | { readonly ok: false; readonly violations: readonly Violation[] }

/**
 * Turns the properties of a resource whose templates are expanded into the values its type works with: kinds converted,
 * defaults applied, null and absent ones left out, rules checked. Values may come from YAML or from templates, so
 * integers may be `bigint` and maps may be `Map`.
 */
export function decodeProperties(type: Checked, properties: Properties): DecodedProperties {
  const { values, violations } = check(type, properties, () => false)
  return violations.length === 0 ? { ok: true, values } : { ok: false, violations }
}

/** What is known of a resource before templates are expanded. */
export interface CheckedLiterals {
  readonly violations: readonly Violation[]
  /** The settled values, where nothing is wrong and nothing left to be expanded. */
  readonly settled?: Readonly<Record<string, unknown>>
}

/**
 * Checks a resource as far as it is known before templates are expanded. A property that holds a template is skipped,
 * and so are the rules that read it; a property that is never expanded is always checked.
 */
export function checkLiterals(
  type: Checked,
  properties: Properties,
  hasTemplate: (text: string) => boolean,
): CheckedLiterals {
  const { violations, open, values } = check(type, properties, hasTemplate)
  return violations.length === 0 && open.size === 0 ? { violations, settled: values } : { violations }
}

/** Checks the values alone, as for a `defaults` block: nothing needs to be there and no rule is asked. */
export function checkValues(
  type: Checked,
  properties: Properties,
  hasTemplate: (text: string) => boolean,
): readonly Violation[] {
  const present = Object.fromEntries(Object.entries(properties).filter(([, value]) => isSet(value)))
  const specs = Object.fromEntries(Object.entries(type.properties).filter(([name]) => Object.hasOwn(present, name)))
  return check({ type: type.type, properties: specs, rules: [] }, present, hasTemplate).violations
}

interface Findings {
  readonly values: Record<string, unknown>
  readonly violations: Violation[]
  /** Properties whose value is wrong or not known yet. */
  readonly open: Set<string>
}

function check(type: Checked, properties: Properties, hasTemplate: (text: string) => boolean): Findings {
  const found: Findings = { values: {}, violations: unknownProperties(type, properties), open: new Set() }
  for (const [name, spec] of Object.entries(type.properties)) {
    const given = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (spec.phase !== 'never' && holdsTemplate(given, hasTemplate)) found.open.add(name)
    else settle(name, spec, given, found)
  }
  for (const { reads, at, check: problemOf } of type.rules) {
    if (reads.some((name) => found.open.has(name))) continue
    const message = problemOf(found.values)
    if (message !== undefined) found.violations.push({ property: at, message })
  }
  return found
}

function settle(name: string, spec: PropertySpec, given: unknown, found: Findings): void {
  if (!isSet(given)) {
    if (spec.required === true) violate(name, missing(name), found)
    else if ('default' in spec && spec.default !== undefined) found.values[name] = spec.default
    return
  }
  const problems: string[] = []
  const value = decode({ label: name, secret: spec.sensitive === true, problems }, spec, given)
  if (problems.length === 0) found.values[name] = value
  for (const problem of problems) violate(name, problem, found)
}

function violate(property: string, message: string, found: Findings): void {
  found.violations.push({ property, message })
  found.open.add(property)
}

function unknownProperties(type: Checked, properties: Properties): Violation[] {
  const names = Object.keys(type.properties)
  return Object.keys(properties)
    .filter((name) => !Object.hasOwn(type.properties, name))
    .map((property) => ({
      property,
      message: `unknown property "${property}" of type ${type.type}${didYouMean(property, names)}`,
    }))
}

/** Where a value stands, for messages, and where its problems go. */
interface Place {
  readonly label: string
  readonly secret: boolean
  readonly problems: string[]
}

function decode(place: Place, spec: PropertySpec, value: unknown): unknown {
  switch (spec.kind) {
    case 'text':
      return decodeText(place, spec, value)
    case 'boolean':
      return typeof value === 'boolean' ? value : mismatch(place, 'true or false', value)
    case 'integer':
      return decodeInteger(place, spec, value)
    case 'duration':
      return decodeDuration(place, value)
    case 'list':
      return decodeList(place, spec, value)
    case 'map':
      return decodeMap(place, spec.values, value)
    case 'any':
      return value
  }
}

function decodeText(place: Place, spec: TextSpec, value: unknown): string | undefined {
  const text = asText(value)
  if (text === undefined) return mismatch(place, 'text', value)
  const problem = textProblem(place, spec, text)
  if (problem !== undefined) place.problems.push(problem)
  return text
}

function textProblem({ label, secret }: Place, spec: TextSpec, text: string): string | undefined {
  // A path is never empty, and neither is what a resource is called.
  const needsText = spec.nonEmpty === true || spec.absolutePath === true || spec.required === true
  if (text === '' && needsText) return missing(label)
  if (spec.oneOf !== undefined && !spec.oneOf.includes(text)) {
    return `invalid ${label} value${shown(secret, text)}: must be ${choice(spec.oneOf)}${didYouMean(text, spec.oneOf)}`
  }
  const pathProblem = spec.absolutePath === true ? absolutePathProblem(text) : undefined
  if (pathProblem !== undefined) return `${label} ${pathProblem}`
  if (spec.pattern !== undefined && !new RegExp(`^(?:${spec.pattern.expression})$`, 'u').test(text)) {
    return `invalid ${label} value${shown(secret, text)}: must be ${spec.pattern.describes}`
  }
  return undefined
}

function decodeInteger(
  place: Place,
  { minimum, maximum }: { readonly minimum?: number; readonly maximum?: number },
  value: unknown,
): number | undefined {
  const number = typeof value === 'bigint' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) return mismatch(place, 'a whole number', value)
  if (minimum !== undefined && number < minimum) place.problems.push(`${place.label} must be at least ${minimum}`)
  if (maximum !== undefined && number > maximum) place.problems.push(`${place.label} must be at most ${maximum}`)
  return number
}

function decodeDuration(place: Place, value: unknown): number | undefined {
  const text = asText(value)
  if (text === undefined) return mismatch(place, 'a duration such as "90s" or "1h30m"', value)
  const milliseconds = parseDuration(text)
  if (milliseconds === undefined) {
    place.problems.push(
      `invalid ${place.label} duration${shown(place.secret, text)}: write a number with its unit, such as "90s" or "1h30m"`,
    )
  }
  return milliseconds
}

function decodeList(
  place: Place,
  { items, nonEmpty }: { readonly items: PropertySpec; readonly nonEmpty?: boolean },
  value: unknown,
): unknown {
  if (!Array.isArray(value)) return mismatch(place, 'a list', value)
  if (nonEmpty === true && value.length === 0) place.problems.push(missing(place.label))
  return value.map((item: unknown, index) => decodeMember({ ...place, label: `${place.label}[${index}]` }, items, item))
}

function decodeMap(place: Place, values: PropertySpec, value: unknown): unknown {
  const entries = entriesOf(value)
  if (entries === undefined) return mismatch(place, 'a map', value)
  return Object.fromEntries(
    entries.map(([key, member]) => [key, decodeMember({ ...place, label: `${place.label}.${key}` }, values, member)]),
  )
}

function decodeMember(place: Place, spec: PropertySpec, value: unknown): unknown {
  if (value === null || value === undefined) {
    return spec.kind === 'any' ? value : mismatch(place, KINDS[spec.kind], value)
  }
  return decode(place, spec, value)
}

const KINDS: Readonly<Record<PropertySpec['kind'], string>> = {
  text: 'text',
  boolean: 'true or false',
  integer: 'a whole number',
  duration: 'a duration',
  list: 'a list',
  map: 'a map',
  any: 'a value',
}

function mismatch({ label, secret, problems }: Place, wanted: string, value: unknown): undefined {
  problems.push(`${label} must be ${wanted}, found ${describeValue(value, secret)}`)
}

/** What a wrong value is, in words a policy's author knows; a short scalar is quoted unless it is secret. */
export function describeValue(value: unknown, secret = false): string {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a map'
  if (typeof value === 'string') return `text${shown(secret, value)}`
  const text = secret ? '' : ` ${asText(value) ?? ''}`
  return typeof value === 'boolean' ? `the boolean${text}` : `the number${text}`
}

const LONGEST_QUOTE = 60

function shown(secret: boolean, text: string): string {
  if (secret) return ''
  return ` "${text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text}"`
}

function missing(label: string): string {
  return label === 'name' || label === 'ensure' ? `${label} is required` : `${label} cannot be empty`
}

/** Choices as a person lists them: `one of "present", "absent" or "directory"`. */
export function choice(choices: readonly string[]): string {
  const quoted = choices.map((word) => `"${word}"`)
  const last = quoted.at(-1) ?? ''
  return quoted.length < 2 ? last : `one of ${quoted.slice(0, -1).join(', ')} or ${last}`
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null
}

function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
    ? String(value)
    : undefined
}

function entriesOf(value: unknown): (readonly [string, unknown])[] | undefined {
  if (value instanceof Map) return [...value].map(([key, member]) => [String(key), member])
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.entries(value)
}

function holdsTemplate(value: unknown, hasTemplate: (text: string) => boolean): boolean {
  if (typeof value === 'string') return hasTemplate(value)
  if (Array.isArray(value)) return value.some((item) => holdsTemplate(item, hasTemplate))
  return entriesOf(value)?.some(([, member]) => holdsTemplate(member, hasTemplate)) ?? false
}

/** The names by which a type's properties may be written, each with the property it means. */
export function propertyNames(specs: PropertySpecs): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const [name, spec] of Object.entries(specs)) {
    for (const spelling of [name, ...(spec.aliases ?? [])]) names.set(spelling, name)
  }
  return names
}
