import { takesList } from '../model/acceptance.ts'
import { parseDuration } from '../model/duration.ts'
import { absolutePathProblem } from '../model/path-rules.ts'
import type { IntegerSpec, ListSpec, MapSpec, PropertySpec, TextSpec } from '../model/property.ts'
import { didYouMean } from '../model/suggest.ts'
import { ORDER_CONDITIONS, type OrderName } from '../model/value-orders.ts'
import { isInt64, tooLarge } from '../templates/govalue/int64.ts'
import { valueProblem, wholeProblem } from './check-acceptance.ts'

/** The label of a value in messages, and the list that collects its problems. */
export interface Decoding {
  readonly label: string
  readonly secret: boolean
  readonly problems: string[]
}

/** Converts a value to the kind that its definition declares. Problems go to `place.problems`. */
export function decode(place: Decoding, spec: PropertySpec, value: unknown): unknown {
  const order = orderOf(spec)
  if (order === undefined) return decodePlain(place, spec, value)
  const words = entriesOf(value)
  if (words !== undefined) return decodeAcceptance(place, spec, words)
  const decoded = decodePlain(place, spec, value)
  // Keywords such as `latest` may replace a version, so the type checks a plain value itself.
  if (order !== 'version' && decoded !== undefined && decoded !== '') checkOrder(place, order, decoded)
  return decoded
}

/** The order of a property; undefined if the property allows no acceptance. */
export function orderOf(spec: PropertySpec): OrderName | undefined {
  return 'accepts' in spec ? spec.accepts : undefined
}

function checkOrder({ label, secret, problems }: Decoding, order: OrderName, value: unknown): void {
  const problem = valueProblem(order, value)
  if (problem !== undefined) problems.push(`${label}${quoteFound(secret, String(value))} ${problem}`)
}

function decodeAcceptance(
  place: Decoding,
  spec: PropertySpec,
  entries: readonly (readonly [string, unknown])[],
): Readonly<Record<string, unknown>> {
  const order = orderOf(spec) ?? 'text'
  const conditions: readonly string[] = ORDER_CONDITIONS[order]
  const words = [...conditions, 'fix']
  const problems: string[] = []
  const unknown = entries.filter(([word]) => !words.includes(word))
  for (const [word] of unknown) {
    const known = `valid words: ${words.join(', ')}`
    problems.push(`unknown word "${word}" in ${place.label}${didYouMean(word, words)}; ${known}`)
  }
  if (unknown.length === 0 && !entries.some(([word]) => word !== 'fix')) {
    problems.push(`${place.label} must set a condition: ${conditions.join(', ')}`)
  }
  const known = entries.filter(([word]) => words.includes(word))
  const decoded = Object.fromEntries(
    known.map(([word, operand]) => [word, decodeOperand({ ...place, problems }, spec, [word, operand])]),
  )
  const problem = problems.length > 0 ? undefined : wholeProblem(order, decoded)
  place.problems.push(...problems, ...(problem === undefined ? [] : [`${place.label} ${problem}`]))
  return decoded
}

/** Decodes an operand as a list member: an explicit null is an error. */
function decodeOperand(place: Decoding, spec: PropertySpec, [word, operand]: readonly [string, unknown]): unknown {
  const at = { ...place, label: `${place.label}.${word}`, problems: [] }
  const decoded = decodeMember(at, operandSpec(spec, word), operand)
  const order = orderOf(spec)
  if (order !== undefined && at.problems.length === 0 && !isPatternWord(word)) {
    for (const value of takesList(word) && Array.isArray(decoded) ? decoded : [decoded]) checkOrder(at, order, value)
  }
  place.problems.push(...at.problems)
  return decoded
}

export function operandSpec(spec: PropertySpec, word: string): PropertySpec {
  const value = withoutOrder(spec)
  const { summary } = spec
  if (isPatternWord(word)) return { kind: 'text', summary, nonEmpty: true }
  if (!takesList(word)) return value
  const ofItems = (word === 'includes' || word === 'excludes') && spec.kind === 'list'
  return { kind: 'list', summary, items: ofItems ? spec.items : value, nonEmpty: true }
}

function isPatternWord(word: string): boolean {
  return word === 'matches' || word === 'not_matches'
}

/** An empty text is valid for any text, but never in an acceptance of accounts, modes or versions. */
function withoutOrder(spec: PropertySpec): PropertySpec {
  if (spec.kind === 'text') {
    const { accepts, ...plain } = spec
    return accepts === 'text' ? plain : { ...plain, nonEmpty: true }
  }
  if (!('accepts' in spec)) return spec
  const { accepts: _, ...plain } = spec
  return plain
}

function decodePlain(place: Decoding, spec: PropertySpec, value: unknown): unknown {
  switch (spec.kind) {
    case 'text':
      return decodeText(place, spec, value)
    case 'boolean':
      return typeof value === 'boolean' ? value : addMismatch(place, 'true or false', value)
    case 'integer':
      return decodeInteger(place, spec, value)
    case 'duration':
      return decodeDuration(place, value)
    case 'list':
      return decodeList(place, spec, value)
    case 'map':
      return decodeMap(place, spec, value)
    case 'any':
      checkNumbers(place, value)
      return value
  }
}

/** Templates have 64-bit integers, so larger numbers in free data are rejected. */
function checkNumbers(place: Decoding, value: unknown): void {
  if (typeof value === 'bigint') {
    if (!isInt64(value)) place.problems.push(place.secret ? 'a number does not fit into 64 bits' : tooLarge(value))
  } else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) checkNumbers(place, member)
  }
}

function decodeText(place: Decoding, spec: TextSpec, value: unknown): string | undefined {
  const text = asText(value)
  if (text === undefined) return addMismatch(place, 'text', value)
  const problem = textProblem(place, spec, text)
  if (problem !== undefined) place.problems.push(problem)
  return text
}

function textProblem({ label, secret }: Decoding, spec: TextSpec, text: string): string | undefined {
  if (text === '' && (spec.nonEmpty === true || spec.absolutePath === true)) return describeMissing(label)
  if (spec.oneOf !== undefined && !spec.oneOf.includes(text)) {
    return `invalid ${label} value${quoteFound(secret, text)}: must be ${choice(spec.oneOf)}${didYouMean(text, spec.oneOf)}`
  }
  const pathProblem = spec.absolutePath === true ? absolutePathProblem(text) : undefined
  if (pathProblem !== undefined) return `${label} ${pathProblem}`
  if (spec.pattern !== undefined && !new RegExp(`^(?:${spec.pattern.expression})$`, 'u').test(text)) {
    return `invalid ${label} value${quoteFound(secret, text)}: must be ${spec.pattern.describes}`
  }
  return undefined
}

function decodeInteger(
  place: Decoding,
  { minimum, maximum, oneOf, base }: IntegerSpec,
  value: unknown,
): number | undefined {
  const number = typeof value === 'string' && base !== undefined ? readDigits(value, base) : asNumber(value)
  if (number === undefined || !Number.isSafeInteger(number)) return addMismatch(place, wholeNumber(base), value)
  const { label, secret, problems } = place
  if (minimum !== undefined && number < minimum) problems.push(`${label} must be at least ${inBase(minimum, base)}`)
  if (maximum !== undefined && number > maximum) problems.push(`${label} must be at most ${inBase(maximum, base)}`)
  if (oneOf !== undefined && !oneOf.includes(number)) {
    const choices = oneOf.map((allowed) => inBase(allowed, base))
    problems.push(`invalid ${label} value${quoteFound(secret, inBase(number, base))}: must be ${choice(choices)}`)
  }
  return number
}

const PREFIXES: Readonly<Record<number, RegExp>> = { 2: /^0b/i, 8: /^0o/i, 16: /^0x/i }

/** An integer in a base; `parseInt` would ignore trailing characters. */
function readDigits(text: string, base: number): number | undefined {
  const [, sign = '', digits = ''] = /^([+-]?)(.*)$/s.exec(text) ?? []
  const prefix = PREFIXES[base]
  const bare = (prefix === undefined ? digits : digits.replace(prefix, '')).toLowerCase()
  const isDigit = (character: string): boolean => !Number.isNaN(Number.parseInt(character, base))
  if (bare === '' || !bare.split('').every(isDigit)) return undefined
  return Number.parseInt(sign + bare, base)
}

function inBase(number: number, base = 10): string {
  return number.toString(base)
}

function wholeNumber(base: number | undefined): string {
  return base === undefined || base === 10 ? 'a whole number' : `a whole number in base ${base}`
}

function decodeDuration(place: Decoding, value: unknown): number | undefined {
  const text = asText(value)
  if (text === undefined) return addMismatch(place, 'a duration such as "90s" or "1h30m"', value)
  const milliseconds = parseDuration(text)
  if (milliseconds === undefined) {
    place.problems.push(
      `invalid ${place.label} duration${quoteFound(place.secret, text)}: write a number with its unit, such as "90s" or "1h30m"`,
    )
  }
  return milliseconds
}

function decodeList(place: Decoding, { items, nonEmpty }: ListSpec, value: unknown): unknown {
  if (!Array.isArray(value)) return addMismatch(place, 'a list', value)
  if (nonEmpty === true && value.length === 0) place.problems.push(describeMissing(place.label))
  return value.map((item: unknown, index) => decodeMember({ ...place, label: `${place.label}[${index}]` }, items, item))
}

function decodeMap(place: Decoding, { values, nonEmpty }: MapSpec, value: unknown): unknown {
  const entries = entriesOf(value)
  if (entries === undefined) return addMismatch(place, 'a map', value)
  if (nonEmpty === true && entries.length === 0) place.problems.push(describeMissing(place.label))
  return Object.fromEntries(
    entries.map(([key, member]) => [key, decodeMember({ ...place, label: `${place.label}.${key}` }, values, member)]),
  )
}

function decodeMember(place: Decoding, spec: PropertySpec, value: unknown): unknown {
  if (value === null || value === undefined) {
    return spec.kind === 'any' ? value : addMismatch(place, KINDS[spec.kind], value)
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

function addMismatch({ label, secret, problems }: Decoding, wanted: string, value: unknown): undefined {
  problems.push(`${label} must be ${wanted}, found ${describeValue(value, secret)}`)
}

/** The kind of a wrong value in the terms of a policy; a short scalar is quoted unless it is secret. */
export function describeValue(value: unknown, secret = false): string {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a map'
  if (typeof value === 'string') return `text${quoteFound(secret, value)}`
  const text = secret ? '' : ` ${asText(value) ?? ''}`
  return typeof value === 'boolean' ? `the boolean${text}` : `the number${text}`
}

const LONGEST_QUOTE = 60

function quoteFound(secret: boolean, text: string): string {
  if (secret) return ''
  return ` "${text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text}"`
}

/** The message for an empty value. */
function describeMissing(label: string): string {
  return label === 'name' || label === 'ensure' ? `${label} is required` : `${label} cannot be empty`
}

/** Choices as text: `one of "present", "absent" or "directory"`. */
export function choice(choices: readonly string[]): string {
  const quoted = choices.map((word) => `"${word}"`)
  const last = quoted.at(-1) ?? ''
  return quoted.length < 2 ? last : `one of ${quoted.slice(0, -1).join(', ')} or ${last}`
}

/** Whether a value is set: null is unset, empty text is not. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
    ? String(value)
    : undefined
}

function asNumber(value: unknown): number | undefined {
  if (typeof value === 'bigint') return Number(value)
  return typeof value === 'number' ? value : undefined
}

function entriesOf(value: unknown): (readonly [string, unknown])[] | undefined {
  if (value instanceof Map) return [...value].map(([key, member]) => [asText(key) ?? describeValue(key), member])
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.entries(value)
}

/** Whether a value contains a template at any depth. */
export function holdsTemplate(value: unknown, hasTemplate: (text: string) => boolean): boolean {
  if (typeof value === 'string') return hasTemplate(value)
  if (Array.isArray(value)) return value.some((item) => holdsTemplate(item, hasTemplate))
  return entriesOf(value)?.some(([, member]) => holdsTemplate(member, hasTemplate)) ?? false
}
