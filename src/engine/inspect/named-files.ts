import { resolve } from 'node:path'
import type { Position, Problem } from '../../model/problem.ts'
import { errorAt, positionAt, type SourceText } from '../../policy/document/lines.ts'
import { member, type TreeNode, type TreeScalar } from '../../policy/document/tree.ts'
import { hasTemplate } from '../../policy/expand/has-template.ts'
import type { PolicyDocument } from '../../policy/read/policy.ts'
import type { ResourceType } from '../../resource-type/define.ts'
import { resolveValues } from '../../policy/runnable/settle.ts'
import { type Read, readsOfSource, readsOfString } from '../../policy/template/reads.ts'
import { withChildren } from './soundness.ts'

/** A file or folder that a policy refers to, with the position. */
export interface NamedFile {
  /** Absolute path. */
  readonly path: string
  readonly position: Position
}

/** Referenced files, and warnings about names that only a host can resolve. */
export interface NamedFiles {
  readonly files: readonly NamedFile[]
  readonly hints: readonly Problem[]
}

/** Reads a text file; undefined if unreadable. */
type ReadText = (path: string) => string | undefined

/**
 * Files that a scan of these policies opens by a relative path: child manifests, sources of files and scaffolds,
 * working directories, template files, included Goss files. A name with a template stands for its local value and for
 * everything in the folder of its constant prefix, since other hosts resolve it differently.
 */
export function namedFiles(
  documents: readonly PolicyDocument[],
  types: readonly ResourceType[],
  readText: ReadText,
): NamedFiles {
  const collecting: Collecting = { files: [], hints: [], types, readText }
  for (const document of withChildren(documents)) collect(document, collecting)
  return collecting
}

interface Collecting {
  readonly files: NamedFile[]
  readonly hints: Problem[]
  readonly types: readonly ResourceType[]
  readonly readText: ReadText
}

function collect(document: PolicyDocument, collecting: Collecting): void {
  const { policy, root, source, writtenIn, written, includes = [] } = document
  collecting.files.push(...includes)
  const place = { directory: policy.workingDirectory, source, collecting }
  const jet = member(member(root, 'ccm'), 'resources_jet_file')
  if (jet?.kind === 'scalar') name(place, jet, jet.text)
  for (const key of ['data', 'hierarchy', 'overrides', 'ccm']) collectReads(place, member(root, key))
  for (const declaration of policy.resources) {
    const { body, name: nameNode } = written.get(declaration.id) ?? {}
    const inText = { ...place, source: writtenIn }
    if (declaration.type === 'apply' && nameNode !== undefined) {
      nameWritten(inText, nameNode, () => declaration.name)
    }
    const type = collecting.types.find((each) => each.type === declaration.type)
    for (const property of PATHS) {
      const node =
        type !== undefined && Object.hasOwn(type.properties, property) ? body?.get(property)?.value : undefined
      if (node?.kind !== 'scalar' || type === undefined) continue
      nameWritten(inText, node, () => {
        const settled = resolveValues(declaration, type, { policy })
        return settled.verdict === undefined ? settled.values[property] : undefined
      })
    }
    // Text rendered from a template is not in the tree of the file.
    if (writtenIn !== source) for (const [key, { value }] of body ?? []) collectReads(inText, value, key === 'control')
  }
}

/** Properties resolved relative to the policy, for all types. */
const PATHS = ['source', 'cwd'] as const

interface Place {
  readonly directory: string
  readonly source: SourceText
  readonly collecting: Collecting
}

function nameWritten(place: Place, node: TreeScalar, resolved: () => unknown): void {
  const { text } = node
  if (!hasTemplate(text)) return name(place, node, text)
  const value = resolved()
  if (typeof value === 'string') name(place, node, value)
  const [start = ''] = text.split(/\{\{|\$\{/, 1)
  const folder = start.slice(0, start.lastIndexOf('/') + 1)
  if (folder !== '' && isRelative(folder)) name(place, node, folder)
  else if (isRelative(start)) hint(place, node, text)
}

function hint({ source, collecting }: Place, { offset }: TreeScalar, text: string): void {
  const message = `${text} differs between hosts, and only the file for this host is packed: publish the folder if other hosts need theirs`
  collecting.hints.push({ ...errorAt(source, offset, message), severity: 'warning' })
}

function isRelative(path: string): boolean {
  return !path.startsWith('/') && !/^[a-z][a-z0-9+.-]*:\/\//i.test(path)
}

function name({ directory, source, collecting }: Place, { offset }: TreeScalar, path: string): void {
  if (path !== '' && isRelative(path))
    collecting.files.push({ path: resolve(directory, path), position: positionAt(source, offset) })
}

/** Collects the reads of all templates in a value. */
function collectReads(place: Place, node: TreeNode | undefined, isCondition = false): void {
  if (node === undefined) return
  if (node.kind === 'list') for (const item of node.items) collectReads(place, item)
  else if (node.kind === 'map')
    for (const [key, { value }] of node.entries)
      collectReads(place, value, key === 'control' || (isCondition && (key === 'if' || key === 'unless')))
  else collectFiles(place, node, isCondition ? readsOfSource(node.text) : readsOfString(node.text))
}

function collectFiles(place: Place, node: TreeScalar, reads: readonly Read[]): void {
  const { directory, collecting } = place
  for (const read of reads) {
    if (read.kind === 'computed' && read.function !== 'lookup' && read.function !== '$env')
      hint(place, node, `the file of ${read.function}`)
    if (read.kind !== 'file' || !isRelative(read.path)) continue
    const path = resolve(directory, read.path)
    const isKnown = collecting.files.some((file) => file.path === path)
    name(place, node, read.path)
    // A template may read further files.
    if (read.use === 'template' && !isKnown) collectFiles(place, node, readsOfString(collecting.readText(path) ?? ''))
  }
}
