import type { ExportRead } from '../../model/exported.ts'
import type { PropertySpec } from '../../model/property.ts'
import type { SourceText } from '../document/lines.ts'
import { toPlainValue, type TreeMember, type TreeNode, type TreeScalar } from '../document/tree.ts'
import { operandSpec, orderOf } from '../../resource-type/decode-value.ts'
import { hasTemplate } from '../expand/has-template.ts'
import type { TextProblem } from '../expand/template-error.ts'

/** The properties of a body by proper name, including common ones, without nulls. */
export type Body = ReadonlyMap<string, TreeMember>

/** A property that could not be expanded when the policy was read. */
export interface Unexpanded {
  readonly property: 'name' | 'alias' | 'provider' | 'health_checks' | 'register_when_stable'
  readonly problem: TextProblem
}

/** A resource as written. */
export interface Written {
  readonly name: TreeScalar
  /** Includes the defaults of its list. */
  readonly body: Body
  /** The `defaults` block of its list, and the resource's own properties; undefined in a list without one. */
  readonly defaults?: { readonly offset: number; readonly own: Body }
  /** The property that could not be expanded, if any. */
  readonly unexpanded?: Unexpanded
  /** Exported values of earlier resources that the body reads; undefined without any. */
  readonly reads?: readonly ResolvedRead[]
  /** The source text of its offsets, if it differs from that of the other resources. */
  readonly source?: SourceText
}

/** An exported value of an earlier resource that the text of a resource reads. */
export interface ResolvedRead extends ExportRead {
  readonly written:
    /** `Resources["name"].field` */
    | { readonly kind: 'member'; readonly name: string }
    /** The lookup path after `resources.`, and its part after the field. */
    | { readonly kind: 'path'; readonly path: string; readonly rest: string }
}

/** Whether a body sets `sensitive`. */
export function isSensitive(body: Body): boolean {
  const node = body.get('sensitive')?.value
  return node?.kind === 'scalar' && node.value === true
}

/** The specification of a map member: a value of the map, or the operand of an acceptance. */
export function memberSpec(spec: PropertySpec, key: string): PropertySpec {
  if (spec.kind === 'map') return spec.values
  return orderOf(spec) !== undefined ? operandSpec(spec, key) : spec
}

/** The value of a property as its definition requires it: text keeps its source characters. */
export function rawValue(spec: PropertySpec, node: TreeNode): unknown {
  if (node.kind === 'scalar') {
    return keepsCharacters(spec) && node.value !== null ? node.text : node.value
  }
  if (node.kind === 'list' && spec.kind === 'list') return node.items.map((item) => rawValue(spec.items, item))
  if (node.kind === 'map' && (spec.kind === 'map' || orderOf(spec) !== undefined)) {
    return Object.fromEntries(
      [...node.entries].map(([key, { value }]) => [key, rawValue(memberSpec(spec, key), value)]),
    )
  }
  return toPlainValue(node)
}

/** Whether the source characters of a value are used, rather than the number or boolean that YAML reads. */
function keepsCharacters(spec: PropertySpec): boolean {
  return spec.kind === 'text' || spec.kind === 'duration' || (spec.kind === 'integer' && spec.base !== undefined)
}

/** Whether a body contains a condition or a template. */
export function isEvaluable(body: Body): boolean {
  return body.has('control') || [...body.values()].some(({ value }) => holdsTemplate(value))
}

/** Whether a value contains a template at any depth. */
export function holdsTemplate(node: TreeNode): boolean {
  if (node.kind === 'scalar') return hasTemplate(node.text)
  if (node.kind === 'list') return node.items.some(holdsTemplate)
  return [...node.entries.values()].some(({ value }) => holdsTemplate(value))
}
