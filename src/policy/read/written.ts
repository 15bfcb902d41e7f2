import type { ExportRead } from '../../model/exported.ts'
import type { PropertySpec } from '../../model/property.ts'
import type { SourceText } from '../document/lines.ts'
import { plain, type TreeMember, type TreeNode, type TreeScalar } from '../document/tree.ts'
import { operandSpec, orderOf } from '../../resource-type/decode-value.ts'
import { hasTemplate } from '../expand/has-template.ts'
import type { TextProblem } from '../expand/template-error.ts'

/** The properties of one body, own and common ones, by their proper names; nulls left out. */
export type Body = ReadonlyMap<string, TreeMember>

/** A property that is expanded when the policy is read, and why that failed. */
export interface Unexpanded {
  readonly property: 'name' | 'alias' | 'provider' | 'health_checks' | 'register_when_stable'
  readonly problem: TextProblem
}

/** What a resource is made of, as it is written. */
export interface Written {
  readonly name: TreeScalar
  /** With the defaults of its list. */
  readonly body: Body
  /** The `defaults` block of its list, and what the resource sets itself; absent in a list without one. */
  readonly defaults?: { readonly offset: number; readonly own: Body }
  /** What it is called or observed by and could not be expanded, if anything. */
  readonly unexpanded?: Unexpanded
  /** The values of earlier resources that the body reads; absent where it reads none. */
  readonly reads?: readonly ResolvedRead[]
  /** Where its places are, where that is another text than that of the other resources. */
  readonly source?: SourceText
}

/** A value of an earlier resource that the text of a resource reads. */
export interface ResolvedRead extends ExportRead {
  readonly written:
    /** `Resources["name"].field` */
    | { readonly kind: 'member'; readonly name: string }
    /** The path of a lookup behind `resources.`, and what of it follows the field. */
    | { readonly kind: 'path'; readonly path: string; readonly rest: string }
}

/** Whether a body says of itself that its values are secrets. */
export function isSensitive(body: Body): boolean {
  const node = body.get('sensitive')?.value
  return node?.kind === 'scalar' && node.value === true
}

/** What a member of a map has to be: one of its values, or what a word of an acceptance is followed by. */
export function memberSpec(spec: PropertySpec, key: string): PropertySpec {
  if (spec.kind === 'map') return spec.values
  return orderOf(spec) !== undefined ? operandSpec(spec, key) : spec
}

/** The value of a property as its definition wants it: text keeps the characters it was written with. */
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
  return plain(node)
}

/** Whether the characters count that a value is written with, not the number or boolean that YAML takes them for. */
function keepsCharacters(spec: PropertySpec): boolean {
  return spec.kind === 'text' || spec.kind === 'duration' || (spec.kind === 'integer' && spec.base !== undefined)
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
