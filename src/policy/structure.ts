import type { Problem } from '../core/problem.ts'
import { didYouMean } from '../core/suggest.ts'
import { choice, describeValue } from '../resources/decode.ts'
import { errorAt, type SourceText } from './lines.ts'
import { plain, type TreeNode } from './tree.ts'

/** One finding of a compiled JSON Schema, as ajv reports it with `verbose`. */
export interface StructureError {
  readonly instancePath: string
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  readonly parentSchema?: unknown
}

/** A compiled JSON Schema of policies. */
export interface StructureValidator {
  (document: unknown): boolean
  errors?: readonly StructureError[] | null
}

/** The type of resource at a place, with the names its bodies may use for properties that its own checks judge. */
export type OwnProperties = ReadonlyMap<string, ReadonlySet<string>>

/** Every problem of a policy's shape. What stands in a type's own property is left to the type's checks. */
export function structureProblems(
  source: SourceText,
  root: TreeNode,
  validate: StructureValidator,
  own: OwnProperties,
): Problem[] {
  if (validate(plain(root))) return []
  const places = (validate.errors ?? [])
    .filter(({ keyword }) => keyword !== 'if')
    .map((error) => ({ error, path: pathOf(error.instancePath) }))
  const crowded = new Set(places.filter(({ error }) => error.keyword === 'maxProperties').map(keyOfPath))
  const problems = new Map<number, Problem>()
  for (const { error, path } of places) {
    // What is wrong inside an entry with too many keys follows from its indentation.
    if (isOwn(path, own) || path.some((_, depth) => crowded.has(path.slice(0, depth).join('/')))) continue
    const found = locate(root, path)
    if (found === undefined) continue
    const { offset, message } = explain(error, path, found)
    if (!problems.has(offset)) problems.set(offset, errorAt(source, offset, message))
  }
  return [...problems.values()]
}

function keyOfPath({ path }: { readonly path: readonly string[] }): string {
  return path.join('/')
}

function pathOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Where a path leads within the bodies of resources: the type, and the keys below the body. */
function bodyOf(path: readonly string[], root?: TreeNode): { type: string; keys: readonly string[] } | undefined {
  const [ccm, resources, , type, fifth] = path
  if (ccm !== 'ccm' || resources !== 'resources' || type === undefined) return undefined
  const listForm = root === undefined ? /^[0-9]+$/.test(fifth ?? '') : locate(root, path.slice(0, 4))?.kind === 'list'
  return { type, keys: path.slice(listForm ? 6 : 4) }
}

function isOwn(path: readonly string[], own: OwnProperties): boolean {
  const body = bodyOf(path)
  const property = body?.keys[0]
  return body !== undefined && property !== undefined && (own.get(body.type)?.has(property) ?? false)
}

function locate(root: TreeNode, path: readonly string[]): TreeNode | undefined {
  let node: TreeNode | undefined = root
  for (const part of path) {
    if (node?.kind === 'map') node = node.entries.get(part)?.value
    else if (node?.kind === 'list') node = node.items[Number(part)]
    else return undefined
  }
  return node
}

interface Explanation {
  readonly offset: number
  readonly message: string
}

function explain(error: StructureError, path: readonly string[], node: TreeNode): Explanation {
  const { keyword, params } = error
  const label = labelOf(path)
  switch (keyword) {
    case 'additionalProperties':
      return unknownKey(String(params['additionalProperty']), candidates(error), path, node)
    case 'required':
      return { offset: node.offset, message: missingKey(String(params['missingProperty']), path) }
    case 'maxProperties':
      return crowdedItem(path, node)
    case 'minProperties':
      return { offset: node.offset, message: path.length < 4 ? 'a resource type is missing' : 'a name is missing' }
    case 'minItems':
      return { offset: node.offset, message: `${label} must not be empty` }
    case 'false schema':
      return { offset: node.offset, message: `defaults cannot give a ${label}` }
    case 'enum':
      return { offset: node.offset, message: wrongChoice(label, error, node) }
    default:
      return { offset: node.offset, message: `${label} ${wanted(error)}, found ${describeValue(plain(node))}` }
  }
}

function unknownKey(key: string, known: readonly string[], path: readonly string[], node: TreeNode): Explanation {
  const offset = (node.kind === 'map' ? node.entries.get(key)?.keyOffset : undefined) ?? node.offset
  const hint = didYouMean(key, known)
  if (path.length === 3) return { offset, message: `unknown resource type "${key}"${hint}` }
  const body = bodyOf(path)
  if (body === undefined || body.keys.length > 0) {
    const where = path.length === 0 ? '' : ` in ${labelOf(path)}`
    return { offset, message: `unknown key "${key}"${where}${hint}` }
  }
  return { offset, message: `unknown property "${key}" of type ${body.type}${hint}` }
}

function missingKey(key: string, path: readonly string[]): string {
  if (path.length === 0) return 'a policy needs a "ccm" section with its resources'
  if (path.length === 1 && key === 'resources') return 'the ccm section needs a list of resources'
  return `${key} is required`
}

function crowdedItem(path: readonly string[], node: TreeNode): Explanation {
  const [, second] = node.kind === 'map' ? [...node.entries] : []
  const offset = second?.[1].keyOffset ?? node.offset
  const key = second?.[0] ?? ''
  return path.length === 3
    ? { offset, message: `one list item holds one resource type, start a new item for "${key}"` }
    : {
        offset,
        message: `one list item holds one name, start a new item for "${key}" or indent it below the name`,
      }
}

function wrongChoice(label: string, { params }: StructureError, node: TreeNode): string {
  const allowed: unknown = params['allowedValues']
  const choices = Array.isArray(allowed) ? allowed.map(String) : []
  const hint = node.kind === 'scalar' ? didYouMean(node.text, choices) : ''
  return `${label} must be ${choice(choices)}, found ${describeValue(plain(node))}${hint}`
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  object: 'a map',
  array: 'a list',
  string: 'text',
  boolean: 'true or false',
  integer: 'a whole number',
}

function wanted({ keyword, params, parentSchema }: StructureError): string {
  const words = field(parentSchema, '$comment')
  if (typeof words === 'string') return words
  if (keyword === 'pattern') return 'must not be empty'
  const types: unknown[] = Array.isArray(params['type']) ? params['type'] : [params['type']]
  const [first] = types
  return `must be ${TYPE_WORDS[String(first)] ?? String(first)}`
}

function candidates({ parentSchema }: StructureError): readonly string[] {
  const properties = field(parentSchema, 'properties')
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** What a person calls a place: its key, with the index where it is an item of a list. */
function labelOf(path: readonly string[]): string {
  const last = path.at(-1)
  if (last === undefined) return 'a policy'
  const listed = /^[0-9]+$/.test(last) && path.length > 1
  if (!listed) return last
  const list = path.at(-2) ?? ''
  return list === 'resources' || bodyOf(path)?.keys.length === 0 ? `an item of ${list}` : `${list}[${last}]`
}
