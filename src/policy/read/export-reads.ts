import type { Problem } from '../../model/problem.ts'
import { didYouMean } from '../../model/suggest.ts'
import { apply } from '../../subjects/policies/index.ts'
import type { ResourceType } from '../../resource-type/define.ts'
import { type ResourceRead, RESOURCES_NOT_HERE, TemplateError } from '../template/index.ts'
import type { SourceText } from '../document/lines.ts'
import { indexOfRead, type Resolver } from './references.ts'
import type { Draft } from './resources.ts'
import type { FindReads } from '../expand/evaluation.ts'
import type { ResolvedRead } from './written.ts'
import { templateProblem } from '../expand/template-error.ts'
import { member, type TreeNode, type TreeScalar } from '../document/tree.ts'

/** Properties that are expanded when the policy is read, before any resource is observed. */
const EARLY: ReadonlySet<string> = new Set([
  'name',
  'alias',
  'provider',
  'health_checks',
  'register_when_stable',
  'subscribe',
])

const NOT_IN_APPLY =
  'an apply resource cannot read the values of other resources: its manifest is loaded before anything is observed'

const UNCLEAR =
  'the value that is read must be a literal: write Resources["type#name"].field or lookup("resources.type#name.field")'

/** Problems with reads of exported values outside of resources, where none is known yet. */
export function problemsOfEarlyReads(
  source: SourceText,
  nodes: readonly (TreeNode | undefined)[],
  find: FindReads,
): readonly Problem[] {
  return nodes.flatMap((node) =>
    node === undefined ? [] : templatesIn(node).flatMap((text) => refuse({ source, find }, text, RESOURCES_NOT_HERE)),
  )
}

/**
 * Resolves the exported values that each resource reads, in the order of the drafts. Unresolved ones are problems of
 * the resolver.
 */
export function resolveReads(
  resolver: Resolver,
  drafts: readonly Draft[],
  { find, types }: { readonly find: FindReads; readonly types: ReadonlyMap<string, ResourceType> },
): readonly (readonly ResolvedRead[])[] {
  return drafts.map((draft, at) => readsOf({ resolver, drafts, find, types, at }, draft))
}

interface Resolving {
  readonly resolver: Resolver
  readonly drafts: readonly Draft[]
  readonly find: FindReads
  readonly types: ReadonlyMap<string, ResourceType>
  /** Index of the resource whose text is read. */
  readonly at: number
}

function readsOf(resolving: Resolving, { declaration: { type }, written }: Draft): readonly ResolvedRead[] {
  const { resolver, find, types } = resolving
  const specs = types.get(type)?.properties ?? {}
  resolver.problems.push(
    ...refuse({ source: resolver.source, find }, { scalar: written.name, language: 'template' }, RESOURCES_NOT_HERE),
  )
  return [...written.body].flatMap(([property, { value }]) => {
    const texts = textsOf(property, value)
    const refusal = EARLY.has(property) ? RESOURCES_NOT_HERE : type === apply.type ? NOT_IN_APPLY : undefined
    if (refusal !== undefined) {
      const place = { source: resolver.source, find }
      resolver.problems.push(...texts.flatMap((text) => refuse(place, text, refusal)))
      return []
    }
    return specs[property]?.phase === 'never' ? [] : texts.flatMap((text) => readsOfText(resolving, text))
  })
}

/** An evaluated text and its language. */
interface EvaluatedText {
  readonly scalar: TreeScalar
  readonly language: Parameters<FindReads>[1]
}

function textsOf(property: string, value: TreeNode): readonly EvaluatedText[] {
  if (property !== 'control') return templatesIn(value)
  return ['if', 'unless'].flatMap((key): EvaluatedText[] => {
    const scalar = member(value, key)
    return scalar?.kind === 'scalar' ? [{ scalar, language: 'condition' }] : []
  })
}

function templatesIn(node: TreeNode): readonly EvaluatedText[] {
  if (node.kind === 'scalar') return [{ scalar: node, language: 'template' }]
  const children = node.kind === 'list' ? node.items : [...node.entries.values()].map(({ value }) => value)
  return children.flatMap(templatesIn)
}

interface Place {
  readonly source: SourceText
  readonly find: FindReads
}

/** A problem for each exported value that a text reads although it must not. */
function refuse({ source, find }: Place, { scalar, language }: EvaluatedText, message: string): readonly Problem[] {
  return find(scalar.text, language).map(({ offset }) =>
    templateProblem(source, scalar, new TemplateError(message, offset)),
  )
}

function readsOfText(resolving: Resolving, { scalar, language }: EvaluatedText): readonly ResolvedRead[] {
  const { resolver, find } = resolving
  return find(scalar.text, language).flatMap((read): ResolvedRead[] => {
    const resolved = resolveRead(resolving, read)
    if (typeof resolved === 'object') return [resolved]
    if (resolved !== undefined) {
      resolver.problems.push(templateProblem(resolver.source, scalar, new TemplateError(resolved, read.offset)))
    }
    return []
  })
}

/** Resolves a read, or returns its problem; undefined if the resources are unknown. */
function resolveRead(resolving: Resolving, read: ResourceRead): ResolvedRead | string | undefined {
  const { resolver } = resolving
  if (read.kind === 'unclear') return UNCLEAR
  if (read.kind === 'member') {
    const { resource, field } = read
    return readOf(resolving, resource, { field, written: { kind: 'member', name: resource } })
  }
  const parts = splitPath(resolver, read.path)
  if (parts === undefined) return UNCLEAR
  const { name, field, rest } = parts
  return readOf(resolving, name, { field, written: { kind: 'path', path: read.path, rest } })
}

function readOf(
  { resolver, drafts, types, at }: Resolving,
  name: string,
  read: Pick<ResolvedRead, 'field' | 'written'>,
): ResolvedRead | string | undefined {
  const found = indexOfRead(resolver, name)
  if (typeof found !== 'number') return resolver.isOpen ? undefined : found
  if (found === at) return 'a resource cannot read its own values'
  if (found > at) return `"${name}" is declared later: a resource can only read values of earlier ones`
  const type = drafts[found]?.declaration.type ?? ''
  const fields = Object.keys(types.get(type)?.exports ?? {})
  if (fields.includes(read.field)) return { resource: resolver.ids[found] ?? '', ...read }
  if (fields.length === 0) return `type ${type} exports no values`
  const hint = didYouMean(read.field, fields)
  return `type ${type} exports no "${read.field}"${hint === '' ? `; known: ${fields.join(', ')}` : hint}`
}

interface PathParts {
  readonly name: string
  readonly field: string
  readonly rest: string
}

/**
 * Splits the rest of a lookup path after `resources.`. Names may contain dots, so the longest matching name is used; a
 * backslash escapes the next character, as in every path.
 */
function splitPath({ index, aliases }: Resolver, path: string): PathParts | undefined {
  const dots = [...path.matchAll(/\./g)].map((found) => found.index).toReversed()
  const split = (at: number): PathParts => {
    const [, field = '', rest = ''] = /^([^.|]*)(.*)$/s.exec(path.slice(at + 1)) ?? []
    return { name: path.slice(0, at).replaceAll(/\\(.)/gs, '$1'), field, rest }
  }
  const known = dots.map(split).find(({ name }) => index.has(name) || aliases.has(name))
  const [last] = dots
  return known ?? (last === undefined ? undefined : split(last))
}
