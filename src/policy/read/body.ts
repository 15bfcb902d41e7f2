import type { Origin } from '../../core/policy.ts'
import type { PropertySpec } from '../../core/property.ts'
import type { Problem } from '../../core/problem.ts'
import { operandSpec, takesConditions } from '../../resource-type/decode-value.ts'
import { propertyNames } from '../../resource-type/decode.ts'
import type { ResourceType } from '../../resource-type/define.ts'
import type { Evaluation } from '../expand/evaluation.ts'
import { hasTemplate } from '../expand/has-template.ts'
import { errorAt, type SourceText } from '../../document/lines.ts'
import { hideLines, markSecret } from './secret-places.ts'
import type { Confine } from '../../fetch/confine.ts'
import type { TextProblem } from '../expand/template-error.ts'
import { plain, type TreeEntry, type TreeMap, type TreeNode, type TreeScalar } from '../../document/tree.ts'
import { isGiven } from '../../document/tree-access.ts'

/** The properties of one body, own and common ones, by their proper names; nulls left out. */
export type Body = ReadonlyMap<string, TreeEntry>

/** What the reading of a policy's resources shares. */
export interface Reading {
  readonly source: SourceText
  readonly types: ReadonlyMap<string, ResourceType>
  /** The spellings of each type's properties. */
  readonly spellings: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** Evaluates templates; absent where the policy is only read. */
  readonly evaluation: Evaluation | undefined
  /** Confines the files that the policy names; absent where they may lie anywhere. */
  readonly confine: Confine | undefined
  /** Where all that is read comes from beside the policy. Every resource that is made of secrets is sensitive. */
  readonly madeOf: ReadonlySet<Origin>
  readonly problems: Problem[]
  readonly notes: Set<string>
}

/** Starts the reading of resources of these types. */
export function startReading(
  source: SourceText,
  types: readonly ResourceType[],
  { evaluation, confine, madeOf }: Pick<Reading, 'evaluation' | 'confine' | 'madeOf'>,
): Reading {
  return {
    source,
    evaluation,
    confine,
    madeOf,
    types: new Map(types.map((type) => [type.type, type])),
    spellings: new Map(types.map((type) => [type.type, propertyNames(type.properties)])),
    problems: [],
    notes: new Set(),
  }
}

/** Takes a body as written; the same property under two names is a problem. */
export function readBody(reading: Reading, type: ResourceType, node: TreeMap | undefined): Body {
  const spellings = reading.spellings.get(type.type)
  if (!reading.madeOf.has('secret') && node !== undefined && isProper(node, spellings)) return node.entries
  const body = new Map<string, TreeEntry>()
  const used = new Map<string, string>()
  const doubled: (readonly [string, TreeEntry])[] = []
  for (const [spelling, entry] of node?.entries ?? []) {
    const name = spellings?.get(spelling) ?? spelling
    const earlier = used.get(name)
    if (earlier !== undefined) {
      const message = `"${spelling}" and "${earlier}" are two names of one property, give one of them`
      reading.problems.push(errorAt(reading.source, entry.keyOffset, message))
      doubled.push([name, entry])
    } else {
      used.set(name, spelling)
      if (isGiven(entry.value)) body.set(name, entry)
    }
  }
  if (reading.madeOf.has('secret') && node !== undefined) body.set('sensitive', yes(node.offset))
  for (const [name, entry] of doubled) {
    if (isSensitive(body) || type.properties[name]?.sensitive === true) markSecret(reading.source, entry)
  }
  return body
}

function yes(offset: number): TreeEntry {
  return { keyOffset: offset, value: { kind: 'scalar', offset, text: 'true', value: true } }
}

/** Whether all keys are proper names with values: most bodies are what they stand for, and need no copy. */
function isProper({ entries }: TreeMap, spellings: ReadonlyMap<string, string> | undefined): boolean {
  for (const [spelling, { value }] of entries) {
    if ((spellings?.get(spelling) ?? spelling) !== spelling || !isGiven(value)) return false
  }
  return true
}

/** Whether a body says of itself that its values are secrets. */
export function isSensitive(body: Body): boolean {
  const node = body.get('sensitive')?.value
  return node?.kind === 'scalar' && node.value === true
}

/** Notes where secrets stand. Where a type has some, an unknown key may be the misspelt name of one. */
export function markSecrets({ source }: Reading, { properties, secretProperties }: ResourceType, body: Body): void {
  const all = isSensitive(body)
  if (!all && secretProperties.length === 0) return
  for (const [name, entry] of body) {
    const spec = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (all || spec?.sensitive === true) markSecret(source, entry)
    else if (spec === undefined) hideLines(source, entry.value.offset)
  }
}

/**
 * Joins a body with the defaults of its list: what the body sets wins, lists and maps whole, but `control` key by key.
 * @see CCM's `model/resource.go`, which decodes the body over the defaults
 */
export function withDefaults(defaults: Body, body: Body): Body {
  if (defaults.size === 0) return body
  const joined = new Map([...defaults, ...body])
  const [wanted, fallback] = [body.get('control')?.value, defaults.get('control')?.value]
  const entry = body.get('control')
  if (entry !== undefined && wanted?.kind === 'map' && fallback?.kind === 'map') {
    const given = [...wanted.entries].filter(([, { value }]) => isGiven(value))
    joined.set('control', { ...entry, value: { ...wanted, entries: new Map([...fallback.entries, ...given]) } })
  }
  return joined
}

/** What a member of a map has to be: one of its values, or what a word of an acceptance is followed by. */
export function memberSpec(spec: PropertySpec, key: string): PropertySpec {
  if (spec.kind === 'map') return spec.values
  return takesConditions(spec) ? operandSpec(spec, key) : spec
}

/** The value of a property as its definition wants it: text keeps the characters it was written with. */
export function rawValue(spec: PropertySpec, node: TreeNode): unknown {
  if (node.kind === 'scalar') {
    return keepsCharacters(spec) && node.value !== null ? node.text : node.value
  }
  if (node.kind === 'list' && spec.kind === 'list') return node.items.map((item) => rawValue(spec.items, item))
  if (node.kind === 'map' && (spec.kind === 'map' || takesConditions(spec))) {
    return Object.fromEntries(
      [...node.entries].map(([key, { value }]) => [key, rawValue(memberSpec(spec, key), value)]),
    )
  }
  return plain(node)
}

/** Whether the characters count that a value is written with, not the number or boolean that YAML takes them for. */
function keepsCharacters(spec: PropertySpec): boolean {
  return spec.kind === 'text' || spec.kind === 'duration' || (spec.kind === 'integer' && spec.base !== undefined)
}

/** A text with its templates expanded, or why that fails. Where nothing is evaluated it stays as written. */
export function expandText({ evaluation }: Reading, scalar: TreeScalar): string | TextProblem {
  return evaluation === undefined || !hasTemplate(scalar.text) ? scalar.text : evaluation.expandText(scalar)
}

/** Whether something in a body is evaluated when the resource's turn comes. */
export function isEvaluable(body: Body): boolean {
  return body.has('control') || [...body.values()].some(({ value }) => holdsTemplate(value))
}

/** Whether a template stands anywhere in a value. */
export function holdsTemplate(node: TreeNode): boolean {
  if (node.kind === 'scalar') return hasTemplate(node.text)
  if (node.kind === 'list') return node.items.some(holdsTemplate)
  return [...node.entries.values()].some(({ value }) => holdsTemplate(value))
}
