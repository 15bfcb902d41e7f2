import type { Position, Problem } from '../../../model/problem.ts'
import { errorAt, positionAt, type SourceText, sourceText } from '../../../policy/document/lines.ts'
import { asMap, member, type TreeNode } from '../../../policy/document/tree.ts'
import { placeOf, readGossTree } from './read-tree.ts'
import type { GossInclude, GossResource } from './read.ts'
import { type GossWorld, renderGoss } from './template.ts'

export interface GossFile {
  /** The name for messages. */
  readonly file: string
  readonly text: string
  /** Identifies the document under any path. */
  readonly identity: string
}

/** A document that exists but cannot be opened. */
export interface UnopenedGoss {
  readonly file: string
  readonly reason: string
}

/** Access to documents and the files that they reference. Paths are relative to the referencing document. */
export interface GossFiles {
  /** The template data of this document. */
  readonly worldOf: (document: GossFile) => GossWorld
  /** Opens the documents that match a path or pattern, sorted by name, or returns why they are missing. */
  readonly open: (
    pattern: string,
    from: GossFile,
    position: Position,
  ) => Promise<readonly (GossFile | UnopenedGoss)[] | { readonly reason: string }>
}

export interface PlacedResource {
  readonly resource: GossResource
  readonly source: SourceText
  readonly offset: number
  readonly node: TreeNode
}

/** An included document that cannot be opened or used, with its problems. */
export interface BrokenGoss {
  readonly file: string
  readonly problems: readonly Problem[]
  /** The including document. */
  readonly source: SourceText
  readonly offset: number
}

export interface LoadedGoss {
  readonly resources: readonly PlacedResource[]
  /** Unusable includes, which contribute no resources. */
  readonly broken: readonly BrokenGoss[]
  readonly source: SourceText
  readonly root: TreeNode
  readonly problems: readonly Problem[]
}

/** The maximum include depth of Goss. */
const MAX_DEPTH = 50

/**
 * Renders and parses a document and its includes, sorted by name. A later resource replaces an earlier one of the same
 * type and name completely, with a warning.
 */
export async function loadGoss(document: GossFile, files: GossFiles): Promise<LoadedGoss> {
  const loading: Loading = { files, found: new Map(), broken: new Map(), problems: [] }
  const { source, root } = await loadDocument(document, [document], loading)
  const { found, broken, problems } = loading
  return { resources: [...found.values()], broken: [...broken.values()], source, root, problems }
}

interface Loading {
  readonly files: GossFiles
  readonly found: Map<string, PlacedResource>
  readonly broken: Map<string, BrokenGoss>
  readonly problems: Problem[]
}

const NOTHING: TreeNode = { kind: 'map', offset: 0, entries: new Map() }

async function loadDocument(
  document: GossFile,
  chain: readonly GossFile[],
  loading: Loading,
): Promise<Pick<LoadedGoss, 'source' | 'root'>> {
  const written = sourceText(document.file, document.text)
  const rendered = await renderGoss(written, loading.files.worldOf(document))
  if ('message' in rendered) {
    loading.problems.push(rendered)
    return { source: written, root: NOTHING }
  }
  const { source, root = NOTHING, resources, includes, problems } = readGossTree(rendered)
  loading.problems.push(...problems)
  for (const resource of resources) addResource(resource, { source, root }, loading)
  for (const include of includes.toSorted((left, right) => (left.key < right.key ? -1 : 1))) {
    if (!include.isSkipped) await loadInclude(include, { source, root, chain }, loading)
  }
  return { source, root }
}

function addResource(
  resource: GossResource,
  { source, root }: Pick<LoadedGoss, 'source' | 'root'>,
  { found, problems }: Loading,
): void {
  const { type, key } = resource
  const offset = placeOf(root, [type, key])
  const node = member(asMap(member(root, type)), key)
  const label = `${type}:${key}`
  const earlier = found.get(label)
  if (earlier !== undefined) {
    const { file, line } = positionAt(earlier.source, earlier.offset)
    const message = `${label} replaces the one at ${file}:${line} entirely`
    problems.push({ ...errorAt(source, offset, message), severity: 'warning' })
  }
  if (node !== undefined) found.set(label, { resource, source, offset, node })
}

interface Including {
  readonly source: SourceText
  readonly root: TreeNode
  /** The documents from the root to the including one. */
  readonly chain: readonly GossFile[]
}

async function loadInclude(
  { key, file }: GossInclude,
  { source, root, chain }: Including,
  loading: Loading,
): Promise<void> {
  const offset = placeOf(root, ['gossfile', key])
  const problem = (message: string): Problem => errorAt(source, offset, `gossfile: ${file}: ${message}`)
  const refuse = (message: string): void => {
    loading.problems.push(problem(message))
  }
  const from = chain.at(-1)
  if (from === undefined) return
  const place = positionAt(source, placeOf(root, ['gossfile', key]))
  const opened = await loading.files.open(file, from, place)
  if ('reason' in opened) {
    refuse(opened.reason)
    return
  }
  for (const document of opened) {
    if ('reason' in document) {
      const problems = [problem(document.reason)]
      loading.broken.set(document.file, { file: document.file, problems, source, offset })
      continue
    }
    const start = chain.findIndex(({ identity }) => identity === document.identity)
    const names = [...chain.slice(start), document].map((each) => each.file)
    if (start >= 0) refuse(`includes itself: ${names.join(' -> ')}`)
    else if (chain.length >= MAX_DEPTH) refuse(`is nested more than ${MAX_DEPTH} levels deep`)
    else await loadApart(document, { chain: [...chain, document], source, offset }, loading)
  }
}

interface Included extends Pick<BrokenGoss, 'source' | 'offset'> {
  readonly chain: readonly GossFile[]
}

/** Loads an include separately: an error marks it as broken and does not affect the other documents. */
async function loadApart(document: GossFile, { chain, source, offset }: Included, loading: Loading): Promise<void> {
  const { file } = document
  const own: Loading = { ...loading, found: new Map(loading.found), problems: [] }
  await loadDocument(document, chain, own)
  const errors = own.problems.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) {
    loading.broken.set(file, { file, problems: errors, source, offset })
    return
  }
  loading.problems.push(...own.problems)
  for (const [label, resource] of own.found) loading.found.set(label, resource)
}
