import type { Problem } from '../../model/problem.ts'
import { didYouMean, findNearest } from '../../model/suggest.ts'
import { choice, describeValue } from '../../resource-type/decode-value.ts'
import { errorAt, type SourceText } from '../document/lines.ts'
import { toPlainValue, type TreeNode } from '../document/tree.ts'

/** An error of a compiled JSON Schema, as reported by ajv with `verbose`. */
interface StructureError {
  readonly instancePath: string
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  readonly parentSchema?: unknown
}

export interface StructureValidator {
  (document: unknown): boolean
  errors?: readonly StructureError[] | null
}

/** By resource type, the properties that the type checks itself. A name is checked twice: it is required. */
export type OwnProperties = ReadonlyMap<string, ReadonlySet<string>>

/** All problems with the shape of a policy. Values of a type's own properties are left to the type. */
export function structureProblems(
  source: SourceText,
  root: TreeNode,
  validate: StructureValidator,
  own: OwnProperties,
): Problem[] {
  // JSON Schema has only one kind of numbers.
  if (validate(toPlainValue(root, ({ value }) => (typeof value === 'bigint' ? Number(value) : value)))) return []
  const places = (validate.errors ?? [])
    .filter(({ keyword }) => keyword !== 'if')
    .map((error) => ({ error, path: pathOf(error.instancePath) }))
  const crowded = new Set(places.filter(({ error }) => error.keyword === 'maxProperties').map(keyOfPath))
  const misspelt = new Set(places.flatMap(meantKey))
  const problems = new Map<string, Problem>()
  for (const { error, path } of places) {
    // Errors inside an entry with too many keys result from its indentation.
    if (isOwn(path, own) || path.some((_, depth) => crowded.has(path.slice(0, depth).join('/')))) continue
    const key = keyIn(error)
    if (error.keyword === 'required' && misspelt.has(`${error.instancePath}/${key}`)) continue
    const found = locate(root, path)
    const named = namesInPlaceOfList(path, found)
    const place = named === undefined ? `${error.instancePath} ${key}` : path.join('/')
    if (found === undefined || problems.has(place)) continue
    if (named !== undefined) {
      problems.set(place, errorAt(source, named.offset, named.message))
      continue
    }
    const { offset, message } = explain(error, path, found)
    problems.set(place, errorAt(source, offset, message))
  }
  return [...problems.values()]
}

/** Explains resources written as a map of names instead of a list: `package: {nginx: {...}}`. */
function namesInPlaceOfList(path: readonly string[], node: TreeNode | undefined): Explanation | undefined {
  if (path.length !== 4 || !isItem(path.slice(0, 3)) || node?.kind !== 'map' || node.entries.has('name'))
    return undefined
  const [[name, entry] = []] = node.entries
  const areNames = [...node.entries.values()].every(({ value }) => value.kind === 'map')
  if (name === undefined || entry === undefined || !areNames) return undefined
  const message = `the resources of a type must be a list: write "- ${name}:" with its properties below`
  return { offset: entry.keyOffset, message }
}

/** The key that an unknown key probably stands for; reporting it as missing would be redundant. */
function meantKey({ error }: { readonly error: StructureError }): string[] {
  if (error.keyword !== 'additionalProperties') return []
  const meant = findNearest(keyIn(error), propertyNames(error))
  return meant === undefined ? [] : [`${error.instancePath}/${meant}`]
}

/** The missing or unknown key of an error. */
function keyIn({ params }: StructureError): string {
  const key = params['missingProperty'] ?? params['additionalProperty']
  return typeof key === 'string' ? key : ''
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

/** The resource body of a path: its type, and the keys below the body. */
function bodyOf(path: readonly string[]): { type: string; keys: readonly string[] } | undefined {
  const [ccm, resources, , type, fifth] = path
  if (ccm !== 'ccm' || resources !== 'resources' || type === undefined) return undefined
  // No property name is a number, so a number is an index, followed by a name.
  return { type, keys: path.slice(isIndex(fifth) ? 6 : 4) }
}

function isOwn(path: readonly string[], own: OwnProperties): boolean {
  const body = bodyOf(path)
  const property = body?.keys[0]
  if (body === undefined || property === undefined || property === 'name') return false
  return own.get(body.type)?.has(property) ?? false
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
  const { keyword } = error
  const label = labelOf(path)
  switch (keyword) {
    case 'additionalProperties':
      return unknownKey(keyIn(error), propertyNames(error), path, node)
    case 'required':
      return { offset: node.offset, message: missingKey(keyIn(error), path) }
    case 'maxProperties':
      return crowdedItem(path, node)
    case 'minProperties':
      return { offset: node.offset, message: isItem(path) ? 'a resource type is missing' : 'a name is missing' }
    case 'minItems':
      return { offset: node.offset, message: `${label} must not be empty` }
    case 'false schema':
      return { offset: node.offset, message: `defaults cannot give a ${label}` }
    case 'enum':
      return { offset: node.offset, message: wrongChoice(label, error, node) }
    default:
      return {
        offset: node.offset,
        message: `${label} ${describeExpected(error)}, found ${describeValue(toPlainValue(node))}`,
      }
  }
}

function unknownKey(key: string, known: readonly string[], path: readonly string[], node: TreeNode): Explanation {
  const offset = (node.kind === 'map' ? node.entries.get(key)?.keyOffset : undefined) ?? node.offset
  const hint = didYouMean(key, known)
  if (isItem(path)) return { offset, message: `unknown resource type "${key}"${hint}` }
  const body = bodyOf(path)
  if (body === undefined || body.keys.length > 0) {
    const where = path.length === 0 ? '' : ` in ${labelOf(path)}`
    return { offset, message: `unknown key "${key}"${where}${hint}` }
  }
  return { offset, message: `unknown property "${key}" of type ${body.type}${hint}` }
}

/** Whether a path is that of an item in the list of resources. */
function isItem(path: readonly string[]): boolean {
  return path.length === 3 && path[0] === 'ccm' && path[1] === 'resources'
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
  return isItem(path)
    ? { offset, message: `a list item has one resource type: start a new item for "${key}"` }
    : {
        offset,
        message: `a list item has one name: start a new item for "${key}", or indent it below the name`,
      }
}

function wrongChoice(label: string, { params }: StructureError, node: TreeNode): string {
  const allowed: unknown = params['allowedValues']
  const choices = Array.isArray(allowed) ? allowed.map(String) : []
  const hint = node.kind === 'scalar' ? didYouMean(node.text, choices) : ''
  return `${label} must be ${choice(choices)}, found ${describeValue(toPlainValue(node))}${hint}`
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  object: 'a map',
  array: 'a list',
  string: 'text',
  boolean: 'true or false',
  integer: 'a whole number',
}

function describeExpected({ keyword, params, parentSchema }: StructureError): string {
  const words = field(parentSchema, '$comment')
  if (typeof words === 'string') return words
  if (keyword === 'pattern') return 'must not be empty'
  const types: unknown[] = Array.isArray(params['type']) ? params['type'] : [params['type']]
  const [first] = types
  return `must be ${TYPE_WORDS[String(first)] ?? String(first)}`
}

function propertyNames({ parentSchema }: StructureError): readonly string[] {
  const properties = field(parentSchema, 'properties')
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

const SECTIONS: ReadonlySet<string | undefined> = new Set(['ccm', 'policy', 'hierarchy', 'overrides', 'control'])

/** The name of a position in messages: its key, with the index for a list item. */
function labelOf(path: readonly string[]): string {
  const last = path.at(-1)
  const parent = path.at(-2)
  if (last === undefined) return 'a policy'
  if (parent === undefined || !isIndex(last)) return SECTIONS.has(parent) ? `${parent}.${last}` : last
  return isItem(path) || path.length === 5 ? `an item of ${parent}` : `${parent}[${last}]`
}

function isIndex(part: string | undefined): boolean {
  return /^[0-9]+$/.test(part ?? '')
}
