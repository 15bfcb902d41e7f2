import type { Origin } from '../../model/policy.ts'
import type { Problem } from '../../model/problem.ts'
import { propertyNames } from '../../resource-type/decode.ts'
import type { ResourceType } from '../../resource-type/define.ts'
import { isSecretProperty } from '../../resource-type/secret-properties.ts'
import type { Evaluation } from '../expand/evaluation.ts'
import { hasTemplate } from '../expand/has-template.ts'
import { errorAt, type SourceText } from '../document/lines.ts'
import { hideLines, markSecret } from './secret-places.ts'
import { type Body, isSensitive } from './written.ts'
import type { Confine } from '../fetch/confine.ts'
import type { TextProblem } from '../expand/template-error.ts'
import { isGiven, type TreeMember, type TreeMap, type TreeScalar } from '../document/tree.ts'

/** What the reading of a policy's resources shares. */
export interface Reader {
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
export function createReader(
  source: SourceText,
  types: readonly ResourceType[],
  { evaluation, confine, madeOf }: Pick<Reader, 'evaluation' | 'confine' | 'madeOf'>,
): Reader {
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
export function readBody(reader: Reader, type: ResourceType, node: TreeMap | undefined): Body {
  const spellings = reader.spellings.get(type.type)
  if (!reader.madeOf.has('secret') && node !== undefined && isProper(node, spellings)) return node.entries
  const body = new Map<string, TreeMember>()
  const used = new Map<string, string>()
  const doubled: (readonly [string, TreeMember])[] = []
  for (const [spelling, entry] of node?.entries ?? []) {
    const name = spellings?.get(spelling) ?? spelling
    const earlier = used.get(name)
    if (earlier !== undefined) {
      const message = `"${spelling}" and "${earlier}" are two names of one property, give one of them`
      reader.problems.push(errorAt(reader.source, entry.keyOffset, message))
      doubled.push([name, entry])
    } else {
      used.set(name, spelling)
      if (isGiven(entry.value)) body.set(name, entry)
    }
  }
  if (reader.madeOf.has('secret') && node !== undefined) body.set('sensitive', yes(node.offset))
  for (const [name, entry] of doubled) {
    if (isSensitive(body) || isSecretProperty(name, type, 'plain')) markSecret(reader.source, entry)
  }
  return body
}

/** The same as if it said that it is sensitive. */
export function sensitiveBody(body: Body, offset: number): Body {
  return new Map(body).set('sensitive', yes(offset))
}

function yes(offset: number): TreeMember {
  return { keyOffset: offset, value: { kind: 'scalar', offset, text: 'true', value: true } }
}

/** Whether all keys are proper names with values: most bodies are what they stand for, and need no copy. */
function isProper({ entries }: TreeMap, spellings: ReadonlyMap<string, string> | undefined): boolean {
  for (const [spelling, { value }] of entries) {
    if ((spellings?.get(spelling) ?? spelling) !== spelling || !isGiven(value)) return false
  }
  return true
}

/** Notes where secrets stand. Where a type has some, an unknown key may be the misspelt name of one. */
export function markSecrets({ source }: Reader, { properties, secretProperties }: ResourceType, body: Body): void {
  const all = isSensitive(body)
  if (!all && secretProperties.length === 0) return
  for (const [name, entry] of body) {
    if (all || secretProperties.includes(name)) markSecret(source, entry)
    else if (!Object.hasOwn(properties, name)) hideLines(source, entry.value.offset)
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

/** A text with its templates expanded, or why that fails. Where nothing is evaluated it stays as written. */
export function expandText({ evaluation }: Reader, scalar: TreeScalar): string | TextProblem {
  return evaluation === undefined || !hasTemplate(scalar.text) ? scalar.text : evaluation.expandText(scalar)
}
