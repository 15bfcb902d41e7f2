import { isAlias, isMap, isScalar, isSeq, type ParsedNode, type YAMLMap, type YAMLSeq } from 'yaml'
import type { Problem } from '../../model/problem.ts'
import { errorAt, type SourceText } from './lines.ts'
import { wholeNumber } from './plain-scalar.ts'
import { MAX_NESTING, nestingProblem, type ParsedYaml } from './parse-yaml.ts'
import type { TreeMember, TreeMap, TreeNode, TreeScalar } from './tree.ts'

/** Maximum number of aliases in a file, including those inside aliased values each time. */
const MAX_ALIASES = 1_000

// Limits their total size, so that a small file cannot become a large policy.
const MAX_ALIASED_VALUES = 1_000_000

/** The size of a node with its aliases followed. */
interface Weight {
  height: number
  values: number
  aliases: number
}

type Built = Readonly<Weight> & { readonly node: TreeNode }

interface Builder {
  readonly source: SourceText
  readonly longTexts: ReadonlyMap<number, string>
  readonly problems: Problem[]
  /** Completed anchors; undefined while the anchored node is being built. */
  readonly anchors: Map<string, Built | undefined>
  readonly aliased: Set<TreeNode>
  aliases: number
  aliasedValues: number
}

interface BuiltTree {
  readonly root: TreeNode
  readonly problems: readonly Problem[]
  /** The targets of aliases. */
  readonly aliased: ReadonlySet<TreeNode>
}

/** Builds the tree of a parsed document, with a problem for each duplicate or invalid key and each dangling alias. */
export function buildTree(source: SourceText, { contents, longTexts }: ParsedYaml): BuiltTree {
  const found = { problems: [], anchors: new Map(), aliased: new Set<TreeNode>() }
  const builder: Builder = { source, longTexts, ...found, aliases: 0, aliasedValues: 0 }
  const { node } = build(builder, contents, 0)
  return { root: node, problems: builder.problems, aliased: builder.aliased }
}

function build(builder: Builder, node: ParsedNode, depth: number): Built {
  if (isAlias(node)) return followAlias(builder, node, depth)
  const { anchor } = node
  if (anchor !== undefined) builder.anchors.set(anchor, undefined)
  const built = buildPlain(builder, node, depth)
  if (anchor !== undefined) builder.anchors.set(anchor, built)
  return built
}

function buildPlain(builder: Builder, node: ParsedNode, depth: number): Built {
  const offset = node.range[0]
  if (depth > MAX_NESTING) {
    if (depth === MAX_NESTING + 1) builder.problems.push(nestingProblem(builder.source, offset))
    return leaf(nullScalar(offset))
  }
  if (isMap(node)) return buildMap(builder, node, offset, depth)
  if (isSeq(node)) return buildList(builder, node, offset, depth)
  const long = builder.longTexts.get(offset)
  const value: unknown = long ?? (isScalar(node) ? node.value : null)
  return leaf({ kind: 'scalar', offset, value: scalarValue(value), text: long ?? sourceOf(node) ?? String(value) })
}

function buildMap(builder: Builder, node: YAMLMap, offset: number, depth: number): Built {
  const entries = new Map<string, TreeMember>()
  const merges = new Map<string, TreeMember>()
  const weight: Weight = { height: 0, values: 1, aliases: 0 }
  for (const pair of node.items) {
    const key = asParsed(pair.key)
    const builtKey = key === undefined ? undefined : build(builder, key, depth + 1)
    const value = pair.value === null || pair.value === undefined ? undefined : asParsed(pair.value)
    const keyOffset = key?.range[0] ?? offset
    const builtValue =
      value === undefined ? leaf(nullScalar(builtKey?.node.offset ?? offset)) : build(builder, value, depth + 1)
    addWeight(weight, builtValue)
    if (builtKey?.node.kind !== 'scalar') {
      builder.problems.push(errorAt(builder.source, keyOffset, 'a key must be text'))
    } else if (isMergeKey(key)) {
      addEntry(builder, merges, '<<', { keyOffset, value: builtValue.node })
    } else {
      addEntry(builder, entries, builtKey.node.text, { keyOffset, value: builtValue.node })
    }
  }
  // Own keys take precedence over merged ones, and an earlier merged map over a later one.
  const merge = merges.get('<<')
  for (const { entries: more } of merge === undefined ? [] : mergeSources(builder, merge.value)) {
    for (const [key, entry] of more) if (!entries.has(key)) entries.set(key, entry)
  }
  return { node: { kind: 'map', offset, entries }, ...weight }
}

function buildList(builder: Builder, node: YAMLSeq, offset: number, depth: number): Built {
  const items: TreeNode[] = []
  const weight: Weight = { height: 0, values: 1, aliases: 0 }
  for (const item of node.items) {
    const parsed = asParsed(item)
    const built = parsed === undefined ? leaf(nullScalar(offset)) : build(builder, parsed, depth + 1)
    items.push(built.node)
    addWeight(weight, built)
  }
  return { node: { kind: 'list', offset, items }, ...weight }
}

function addEntry(builder: Builder, entries: Map<string, TreeMember>, key: string, entry: TreeMember): void {
  const earlier = entries.get(key)
  if (earlier === undefined) {
    entries.set(key, entry)
    return
  }
  const { position } = errorAt(builder.source, earlier.keyOffset, '')
  builder.problems.push(
    errorAt(builder.source, entry.keyOffset, `key "${key}" is already set on line ${position?.line}`),
  )
}

function mergeSources(builder: Builder, node: TreeNode): readonly TreeMap[] {
  const sources = node.kind === 'list' ? node.items : [node]
  return sources.filter((source): source is TreeMap => {
    if (source.kind === 'map') return true
    builder.problems.push(errorAt(builder.source, source.offset, 'only maps can be merged with "<<"'))
    return false
  })
}

function followAlias(builder: Builder, alias: { source: string; range?: unknown }, depth: number): Built {
  const offset = offsetOf(alias)
  const target = builder.anchors.get(alias.source)
  const problem = (message: string): Built => {
    builder.problems.push(errorAt(builder.source, offset, message))
    return leaf(nullScalar(offset))
  }
  if (target === undefined) {
    return problem(
      builder.anchors.has(alias.source)
        ? `alias *${alias.source} contains itself`
        : `alias *${alias.source} has no anchor &${alias.source} above it`,
    )
  }
  const before = builder.aliases
  builder.aliases += 1 + target.aliases
  builder.aliasedValues += target.values
  if (builder.aliases > MAX_ALIASES) {
    return before > MAX_ALIASES ? leaf(nullScalar(offset)) : problem(`more than ${MAX_ALIASES} aliases are used`)
  }
  if (builder.aliasedValues > MAX_ALIASED_VALUES) {
    builder.aliases = MAX_ALIASES + 1 // One message is enough.
    return problem(`aliases expand to more than ${MAX_ALIASED_VALUES} values`)
  }
  if (depth + target.height > MAX_NESTING) {
    builder.problems.push(nestingProblem(builder.source, offset))
    return leaf(nullScalar(offset))
  }
  builder.aliased.add(target.node)
  return { ...target, aliases: target.aliases + 1 }
}

/** Adds the size of a member to that of its collection. */
function addWeight(weight: Weight, { height, values, aliases }: Built): void {
  weight.height = Math.max(weight.height, height + 1)
  weight.values += values
  weight.aliases += aliases
}

function leaf(node: TreeScalar): Built {
  return { node, height: 0, values: 1, aliases: 0 }
}

function nullScalar(offset: number): TreeScalar {
  return { kind: 'scalar', offset, value: null, text: '' }
}

function scalarValue(value: unknown): TreeScalar['value'] {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return typeof value === 'bigint' ? wholeNumber(value) : null
}

function sourceOf(node: ParsedNode): string | undefined {
  return isScalar(node) ? node.source : undefined
}

/** A plain `<<`; in quotes it is an ordinary key. */
function isMergeKey(key: ParsedNode | undefined): boolean {
  return isScalar(key) && key.type === 'PLAIN' && key.source === '<<'
}

function offsetOf({ range }: { range?: unknown }): number {
  const [start]: unknown[] = Array.isArray(range) ? range : []
  return typeof start === 'number' ? start : 0
}

/** Every node of a parsed document has a range, which the library's member types lack. */
function asParsed(node: unknown): ParsedNode | undefined {
  return isAlias(node) || isMap(node) || isSeq(node) || isScalar(node) ? (node as ParsedNode) : undefined
}
