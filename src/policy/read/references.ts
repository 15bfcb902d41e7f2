import type { ExportRead } from '../../model/exported.ts'
import type { Declaration } from '../../model/policy.ts'
import type { Problem } from '../../model/problem.ts'
import { didYouMean } from '../../model/suggest.ts'
import { errorAt, positionAt, type SourceText } from '../document/lines.ts'
import type { Draft, Reference } from './resources.ts'

/** Resolves `type#name` and `type#alias` to resources. */
export interface Resolver {
  readonly source: SourceText
  readonly problems: Problem[]
  /** Indices of the matching resources, by reference. */
  readonly index: ReadonlyMap<string, readonly number[]>
  /** Indices of the matching resources, by alias. */
  readonly aliases: ReadonlyMap<string, readonly number[]>
  /** The id of each resource. */
  readonly ids: readonly string[]
  /** Whether the resources are unknown, so that no reference can be checked. */
  readonly isOpen: boolean
  /** Remaining number of suggestions, each of which compares all resources. */
  suggestions: number
}

const MAX_SUGGESTIONS = 50

/** Maximum number of ambiguous resources in a message. */
const MOST_IDS = 10

/** Gives every resource its id. Indistinguishable resources are a problem. */
export function startResolving(source: SourceText, drafts: readonly Draft[], isOpen: boolean): Resolver {
  const names = drafts.map(({ declaration: { type, name } }) => `${type}#${name}`)
  const byName = new Map<string, number[]>()
  const byAlias = new Map<string, number[]>()
  const index = new Map<string, number[]>()
  const aliases = new Map<string, number[]>()
  for (const [at, { declaration }] of drafts.entries()) {
    const { type, name, alias } = declaration
    const byItsName = names[at] ?? ''
    add(byName, byItsName, at)
    add(index, byItsName, at)
    if (alias !== undefined) add(aliases, alias, at)
    if (alias !== undefined && alias !== name) {
      add(index, `${type}#${alias}`, at)
      add(byAlias, `${type}#${alias}`, at)
    }
  }
  const ids = drafts.map(({ declaration: { type, alias } }, at) => {
    const byItsName = names[at] ?? ''
    return alias !== undefined && (byName.get(byItsName)?.length ?? 0) > 1 ? `${type}#${alias}` : byItsName
  })
  const problems: Problem[] = []
  // With unique names and no alias, no two resources can be confused.
  const mayBeMixedUp = aliases.size > 0 || byName.size < drafts.length
  for (const [at, draft] of mayBeMixedUp ? drafts.entries() : []) {
    const problem = duplicateProblem(source, drafts, draft, { at, byName, byAlias })
    if (problem !== undefined) problems.push(problem)
  }
  return { source, problems, index, aliases, ids, isOpen, suggestions: MAX_SUGGESTIONS }
}

interface Indices {
  readonly at: number
  readonly byName: ReadonlyMap<string, readonly number[]>
  /** Resources whose alias differs from their name. */
  readonly byAlias: ReadonlyMap<string, readonly number[]>
}

function duplicateProblem(
  source: SourceText,
  drafts: readonly Draft[],
  { declaration: { type, name, alias }, offset }: Draft,
  { at, byName, byAlias }: Indices,
): Problem | undefined {
  const where = (first: number): string => {
    const { line, column } = positionAt(source, drafts[first]?.offset ?? 0)
    return `on line ${line}, column ${column}`
  }
  const namesakes = byName.get(`${type}#${name}`) ?? []
  const [first = at] = namesakes
  if (first < at && (alias === undefined || drafts[first]?.declaration.alias === undefined)) {
    const message = `${type}#${name} was already declared ${where(first)}: give each its own alias`
    return errorAt(source, offset, message)
  }
  for (const word of alias === undefined ? [name] : [name, alias]) {
    const [aliased = at] = byAlias.get(`${type}#${word}`) ?? []
    const [named = at] = word === name ? [] : (byName.get(`${type}#${word}`) ?? [])
    const earlier = Math.min(aliased, named)
    if (earlier < at) return errorAt(source, offset, `${type}#${word} already refers to the resource ${where(earlier)}`)
  }
  return undefined
}

/**
 * Completes the resources: ids, requirements and subscriptions as ids of earlier resources, and the exported values
 * they read.
 */
export function finishResources(
  resolver: Resolver,
  drafts: readonly Draft[],
  reads: readonly (readonly ExportRead[])[],
): Declaration[] {
  return drafts.map(({ declaration, requires, subscribes }, at) => ({
    id: resolver.ids[at] ?? '',
    require: resolveEarlier(resolver, at, requires, 'require'),
    subscribe: resolveEarlier(resolver, at, subscribes, 'subscribe to'),
    ...readingOf(reads[at]),
    // Last: adding to a copied object gives it a hidden class of its own in V8, which costs time and memory.
    ...declaration,
  }))
}

/** The exported values that a resource reads, without duplicates. */
function readingOf(reads: readonly ExportRead[] = []): Pick<Declaration, 'reads'> {
  if (reads.length === 0) return {}
  const once = new Map(reads.map(({ resource, field }) => [`${resource} ${field}`, { resource, field }]))
  return { reads: [...once.values()] }
}

function resolveEarlier(resolver: Resolver, at: number, references: readonly Reference[], verb: string): string[] {
  if (references.length === 0) return []
  return references.flatMap((reference) => {
    const found = resolve(resolver, reference)
    if (found === undefined) return []
    if (found < at) return [resolver.ids[found] ?? '']
    const message =
      found === at
        ? `a resource cannot ${verb} itself`
        : `"${reference.text}" is declared later: a resource can only ${verb} earlier ones`
    resolver.problems.push(errorAt(resolver.source, reference.offset, message))
    return []
  })
}

/** The index of the resource of a reference; a problem if none or several match. */
export function resolve(resolver: Resolver, { text, offset }: Reference): number | undefined {
  const found = resolver.index.get(text) ?? []
  const [first, second] = found
  if (first !== undefined && second === undefined) return first
  if (resolver.isOpen) return undefined
  resolver.problems.push(errorAt(resolver.source, offset, referenceProblem(resolver, text, found)))
  return undefined
}

/** The index of the resource whose value is read, by reference or alias; or the problem with the name. */
export function indexOfRead(resolver: Resolver, name: string): number | string {
  const found = resolver.index.get(name) ?? resolver.aliases.get(name) ?? []
  const [first, second] = found
  if (first !== undefined && second === undefined) return first
  if (found.length > 1 || name.includes('#')) return referenceProblem(resolver, name, found)
  const candidates = resolver.suggestions-- > 0 ? [...resolver.aliases.keys(), ...resolver.index.keys()] : []
  return `no resource has the alias "${name}"${didYouMean(name, candidates)}`
}

function referenceProblem(resolver: Resolver, text: string, found: readonly number[]): string {
  if (found.length > 1) {
    const ids = found.slice(0, MOST_IDS).map((at) => resolver.ids[at])
    const more = found.length > MOST_IDS ? ', …' : ''
    return `"${text}" names ${found.length} resources, use an alias: ${ids.join(', ')}${more}`
  }
  if (!/^[^#]+#./.test(text)) return `"${text}" is not a reference: write type#name or type#alias`
  const candidates = resolver.suggestions-- > 0 ? resolver.index.keys() : []
  return `no resource "${text}"${didYouMean(text, candidates)}`
}

function add(map: Map<string, number[]>, key: string, value: number): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}
