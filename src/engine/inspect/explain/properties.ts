import { defined } from '../../../model/defined.ts'
import type { Declaration } from '../../../model/policy.ts'
import type { Position } from '../../../model/problem.ts'
import type { PropertySpec } from '../../../model/property.ts'
import { noteSecrets } from '../../prepare.ts'
import type { Redactor } from '../../../policy/secrets/redactor.ts'
import type { ResourceType } from '../../../resource-type/define.ts'
import { fromPlain, formatGoDuration } from '../../../templates/govalue/index.ts'
import { holdsTemplate, type Written } from '../../../policy/read/written.ts'
import { positionAt, type SourceText } from '../../../policy/document/lines.ts'
import { isSecretProperty } from '../../../resource-type/secret-properties.ts'
import { member, toPlainValue, type TreeMember, type TreeNode, type TreeScalar } from '../../../policy/document/tree.ts'
import { shownPlain } from './hide.ts'
import { explainReads, type Explaining, readsOfNode } from './inputs.ts'
import type { ExplainedProperty, ExplainedTemplate, PropertyOrigin } from './model.ts'

/** A resource as written, with the context for its templates. */
export interface WrittenResource {
  readonly declaration: Declaration
  readonly type: ResourceType
  readonly written: Written
  readonly source: SourceText
  readonly explaining: Omit<Explaining, 'isSecret'>
  readonly redactor: Redactor
  /** Reason why its templates are not expanded. */
  readonly ruledOut: string | undefined
}

/** Properties with their own section in an explanation. */
const ELSEWHERE: ReadonlySet<string> = new Set(['control', 'require', 'subscribe'])

/** Explains the properties that are set, in the order of the type, then the common properties. */
export function explainProperties(resource: WrittenResource): readonly ExplainedProperty[] {
  const { type, written } = resource
  const { name, body } = written
  const own = Object.keys(type.properties)
  const common = [...body.keys()].filter((key) => !own.includes(key) && !ELSEWHERE.has(key))
  const resolved = new Map([...own, ...common].map((key) => [key, resolve(key, resource)]))
  // A secret property must not appear in the value of another property.
  const values = [...resolved].map(([key, outcome]) => [key, 'value' in outcome ? outcome.value : undefined])
  noteSecrets(type, Object.fromEntries(values), resource.redactor)
  resource.explaining.evaluation?.secrets.forEach(resource.redactor.addSecret)
  return [...resolved].flatMap(([key, outcome]): ExplainedProperty[] => {
    const node = key === 'name' ? name : body.get(key)?.value
    if (node === undefined) return explainDefault(key, type.properties[key])
    return [explainProperty(key, { node, outcome }, resource)]
  })
}

/** Properties of the type without a value or default. */
export function unsetProperties({ type, written: { body } }: WrittenResource): readonly string[] {
  return Object.entries(type.properties)
    .filter(([name, spec]) => name !== 'name' && !body.has(name) && defaultOf(spec) === undefined)
    .map(([name]) => name)
}

/** Origin of a part of a body: the resource or the `defaults` of its list. */
export function originOf(
  isOwn: boolean,
  position: Position,
  { written: { defaults }, source }: Pick<WrittenResource, 'written' | 'source'>,
): PropertyOrigin {
  if (isOwn || defaults === undefined) return { kind: 'resource', position }
  return { kind: 'defaults', position, block: positionAt(source, defaults.offset) }
}

/** Position of a property, also in `defaults`; a condition is `control.if`. */
export function positionOf(
  property: string,
  { declaration, written: { body }, source }: Pick<WrittenResource, 'declaration' | 'written' | 'source'>,
): Position | undefined {
  if (property === 'name') return declaration.position
  const [name, key] = property.startsWith('control.') ? property.split('.') : [property]
  const node = body.get(name ?? '')?.value
  const place = key === undefined ? node : member(node, key)
  return place === undefined ? undefined : positionAt(source, place.offset)
}

/** Value of a property, or the reason why it is missing. */
type Outcome = { readonly value: unknown; readonly isSecret?: boolean } | { readonly message: string }

function resolve(name: string, resource: WrittenResource): Outcome {
  const { declaration, type, written, ruledOut } = resource
  const entry = written.body.get(name)
  if (name === written.unexpanded?.property) return { message: written.unexpanded.problem.message }
  if (name === 'name' || name === 'alias' || name === 'provider') return { value: declaration[name] }
  if (entry === undefined) return { value: undefined }
  const spec = Object.hasOwn(type.properties, name) ? type.properties[name] : undefined
  if (spec === undefined) return { value: commonValue(name, entry, declaration) }
  const isOpen = spec.phase !== 'never' && holdsTemplate(entry.value)
  if (!isOpen) return { value: declaration.properties[name] }
  return ruledOut === undefined ? expandAlone(name, entry, resource) : { message: ruledOut }
}

function commonValue(name: string, { value }: TreeMember, { healthChecks, sensitive }: Declaration): unknown {
  if (name === 'sensitive') return sensitive
  return name === 'health_checks' ? healthChecks : toPlainValue(value, shownValue)
}

/** Expands one property in the same way as the expander, so that a failure of another one does not hide it. */
function expandAlone(name: string, entry: TreeMember, resource: WrittenResource): Outcome {
  const { declaration, type, written, source, explaining } = resource
  const body = new Map([[name, entry]])
  const { unexpanded: _other, ...rest } = written
  const expander = explaining.evaluation
    ?.within(source)
    .createExpander(new Map([[type.type, type]]), new Map([[declaration.id, { ...rest, body }]]))
  if (expander === undefined) return { value: declaration.properties[name] }
  const expansion = expander.expand(declaration, explaining.exported.of)
  if (expansion.kind === 'failed') return { message: withoutName(name, expansion.message) }
  const value = expansion.properties[name]
  if (value === null || value === undefined) return { message: 'omitted, because its template returns nil' }
  return { value, isSecret: expansion.origins?.get(name)?.has('secret') === true }
}

/** Removes the property name from an expander message. */
function withoutName(name: string, message: string): string {
  const prefix = `${name}: `
  return message.startsWith(prefix) ? message.slice(prefix.length) : message
}

function explainProperty(
  name: string,
  { node, outcome }: { readonly node: TreeNode; readonly outcome: Outcome },
  resource: WrittenResource,
): ExplainedProperty {
  const { declaration, type, written, source, explaining } = resource
  const { hiding } = explaining
  const isSecret =
    isSecretProperty(name, type, declaration.sensitive ? 'sensitive' : 'plain') ||
    (declaration.sensitive && (name === 'health_checks' || name === 'register_when_stable'))
  const isHidden = isSecret || ('value' in outcome && outcome.isSecret === true)
  const isOwn = name === 'name' || written.defaults?.own.has(name) !== false
  const isOpen = type.properties[name]?.phase !== 'never' && holdsTemplate(node)
  const template = isOpen ? explainTemplate(node, { ...explaining, isSecret }) : undefined
  return {
    name,
    ...('message' in outcome
      ? { message: hiding.text(outcome.message) }
      : { value: isHidden ? hiding.hidden(fromPlain(outcome.value)) : shownPlain(outcome.value, hiding) }),
    from: originOf(isOwn, positionOf(name, resource) ?? positionAt(source, node.offset), resource),
    ...defined({ template }),
  }
}

/** A template may contain a literal secret, so the template of a secret is hidden. */
function explainTemplate(node: TreeNode, explaining: Explaining): ExplainedTemplate {
  const { hiding, isSecret } = explaining
  const written = toPlainValue(node, shownValue)
  return {
    written: isSecret ? hiding.hidden(fromPlain(written)) : shownPlain(written, hiding),
    inputs: explainReads(readsOfNode(node), explaining),
  }
}

/** A text may consist of digits that exceed the range of a number. */
function shownValue({ value, text }: TreeScalar): unknown {
  return typeof value === 'bigint' ? text : value
}

function explainDefault(name: string, spec: PropertySpec | undefined): ExplainedProperty[] {
  const value = spec === undefined ? undefined : defaultOf(spec)
  return value === undefined ? [] : [{ name, value, from: { kind: 'type' } }]
}

const NANOSECONDS_PER_MILLISECOND = 1_000_000

/** A duration is shown as written in a policy. */
function defaultOf(spec: PropertySpec): unknown {
  if (!('default' in spec) || spec.default === undefined) return undefined
  if (spec.kind !== 'duration') return spec.default
  return formatGoDuration({
    kind: 'duration',
    nanoseconds: BigInt(Math.round(spec.default * NANOSECONDS_PER_MILLISECOND)),
  })
}
