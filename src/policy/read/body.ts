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

/** The context of reading a policy's resources. */
export interface Reader {
  readonly source: SourceText
  readonly types: ReadonlyMap<string, ResourceType>
  /** Spellings of each type's properties. */
  readonly spellings: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** Evaluates templates; undefined if the policy is only read. */
  readonly evaluation: Evaluation | undefined
  /** Confines the files of the policy; undefined if there is no restriction. */
  readonly confine: Confine | undefined
  /** Origins of the rendered text. Resources rendered from secrets are sensitive. */
  readonly madeOf: ReadonlySet<Origin>
  readonly problems: Problem[]
  readonly notes: Set<string>
}

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

/** Reads a body as written; a property given under two names is a problem. */
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
      const message = `"${spelling}" and "${earlier}" are two names of one property: set only one`
      reader.problems.push(errorAt(reader.source, entry.keyOffset, message))
      doubled.push([name, entry])
    } else {
      used.set(name, spelling)
      if (isGiven(entry.value)) body.set(name, entry)
    }
  }
  if (reader.madeOf.has('secret') && node !== undefined) body.set('sensitive', trueMember(node.offset))
  for (const [name, entry] of doubled) {
    if (isSensitive(body) || isSecretProperty(name, type, 'plain')) markSecret(reader.source, entry)
  }
  return body
}

/** The body with `sensitive` set. */
export function sensitiveBody(body: Body, offset: number): Body {
  return new Map(body).set('sensitive', trueMember(offset))
}

function trueMember(offset: number): TreeMember {
  return { keyOffset: offset, value: { kind: 'scalar', offset, text: 'true', value: true } }
}

/** Whether all keys are proper names with values: most bodies are, and need no copy. */
function isProper({ entries }: TreeMap, spellings: ReadonlyMap<string, string> | undefined): boolean {
  for (const [spelling, { value }] of entries) {
    if ((spellings?.get(spelling) ?? spelling) !== spelling || !isGiven(value)) return false
  }
  return true
}

/** Records the positions of secrets. In a type with secrets, an unknown key may be the misspelt name of one. */
export function markSecrets({ source }: Reader, { properties, secretProperties }: ResourceType, body: Body): void {
  const all = isSensitive(body)
  if (!all && secretProperties.length === 0) return
  for (const [name, entry] of body) {
    if (all || secretProperties.includes(name)) markSecret(source, entry)
    else if (!Object.hasOwn(properties, name)) hideLines(source, entry.value.offset)
  }
}

/**
 * Merges a body with the defaults of its list: properties of the body take precedence as a whole, but `control` is
 * merged key by key.
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

/** A text with its templates expanded, or its problem. Without an evaluation it is returned as written. */
export function expandText({ evaluation }: Reader, scalar: TreeScalar): string | TextProblem {
  return evaluation === undefined || !hasTemplate(scalar.text) ? scalar.text : evaluation.expandText(scalar)
}
