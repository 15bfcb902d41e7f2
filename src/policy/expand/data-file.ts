import type { Problem } from '../../model/problem.ts'
import type { Annotation } from '../data/annotations.ts'
import type { DataMap } from '../data/merge.ts'
import { readAnnotations } from '../read/annotations.ts'
import { expandMap } from './expand-node.ts'
import { validatePolicy } from '../schema/generated/policy-validator.js'
import { NO_INPUTS, type PolicyInputs } from './inputs.ts'
import { errorAt, type SourceText, sourceText } from '../document/lines.ts'
import { readDocument, saysNothing } from '../document/read-document.ts'
import { structureProblems } from '../read/structure.ts'
import { asMap, member, type TreeMap } from '../document/tree.ts'

/** A data file of the operator, which overrides data of policies. */
export interface DataFile {
  readonly data: DataMap
  readonly sensitive: readonly Annotation[]
  /** Its problems; the file is usable unless one is an error. */
  readonly problems: readonly Problem[]
}

export type Facts = Pick<PolicyInputs, 'facts' | 'prepareFacts'>

/** Keys of a hierarchical document; it may be a policy, whose other parts are ignored. */
const SECTIONS: ReadonlySet<string> = new Set(['data', 'hierarchy', 'overrides', 'ccm', 'policy'])

/**
 * Reads a data file, YAML or JSON: a plain map, taken as it is, or a hierarchical document, resolved with the facts of
 * the run as the data of a policy is. A document is hierarchical if it contains only these sections, or a `hierarchy`
 * with an order.
 * @see CCM's `hiera/resolver.go`, which supports hierarchical documents only
 */
export async function readDataFile(source: SourceText, inputs: Facts): Promise<DataFile> {
  const { data, sensitive, problems } = await readAny(source, inputs)
  // A line of a data file may contain a secret.
  return { data, sensitive, problems: problems.map(({ sourceLine: _line, ...problem }) => problem) }
}

async function readAny(source: SourceText, inputs: Facts): Promise<DataFile> {
  const nothing: Omit<DataFile, 'problems'> = { data: new Map(), sensitive: [] }
  if (saysNothing(source.text)) return { ...nothing, problems: [] }
  const read = readDocument(source, 'data file')
  const root = 'root' in read ? asMap(read.root) : undefined
  const problems = [...read.problems]
  if ('root' in read && root === undefined)
    problems.push(errorAt(source, read.root.offset, 'it does not contain a map'))
  if (root === undefined || problems.length > 0) return { ...nothing, problems }
  const doubt = doubtAbout(source, root)
  if (doubt !== undefined) return { ...nothing, problems: [doubt] }
  return isHierarchical(root) ? resolveDocument(source, root, inputs) : takePlain(source, root)
}

/** The problem of a map that is ambiguous: CCM would use one section of it, while a plain map is used as a whole. */
function doubtAbout(source: SourceText, root: TreeMap): Problem | undefined {
  if (isHierarchical(root)) return undefined
  const section = [...SECTIONS].find((key) => key !== 'ccm' && key !== 'policy' && asMap(member(root, key)))
  const [stranger] = [...root.entries].filter(([key]) => !SECTIONS.has(key) && !key.startsWith('x-'))
  if (section === undefined || stranger === undefined) return undefined
  const [key, { keyOffset }] = stranger
  const message = `"${section}" makes this a hierarchical document, which has no "${key}": move it and other plain data below "data"`
  return errorAt(source, keyOffset, message)
}

function isHierarchical(root: TreeMap): boolean {
  if (member(member(root, 'hierarchy'), 'order') !== undefined) return true
  const keys = [...root.entries.keys()].filter((key) => !key.startsWith('x-'))
  return keys.every((key) => SECTIONS.has(key)) && keys.some((key) => key !== 'ccm' && key !== 'policy')
}

async function resolveDocument(source: SourceText, root: TreeMap, inputs: Facts): Promise<DataFile> {
  const shape = structureProblems(source, completeToPolicy(root), validatePolicy, new Map())
  if (shape.length > 0) return { data: new Map(), sensitive: [], problems: shape }
  const { loadEvaluation } = await import('./evaluation.ts')
  const start = await loadEvaluation(source.text, { ...NO_INPUTS, ...inputs })
  const { data, annotations, problems } = start(source, root, '')
  return { data, sensitive: annotations.filter(isSensitive), problems }
}

/** Completes the document to a policy, so that the policy schema can check its data. */
function completeToPolicy(root: TreeMap): TreeMap {
  const { offset } = root
  const stub = readDocument(sourceText('', '{ ccm: { resources: [{ exec: { name: nothing } }] } }'))
  const ccm = 'root' in stub ? member(stub.root, 'ccm') : undefined
  const own = [...root.entries].filter(([key]) => key !== 'ccm' && key !== 'policy')
  return { kind: 'map', offset, entries: new Map([...own, ['ccm', { keyOffset: offset, value: ccm ?? root }]]) }
}

async function takePlain(source: SourceText, root: TreeMap): Promise<DataFile> {
  const problems: Problem[] = []
  const data = expandMap(root, { source, problems })
  const { annotations, warnings } = readAnnotations(source, root)
  problems.push(...warnings)
  if (annotations.length > 0) {
    const { annotationProblems } = await import('./policy-data.ts')
    problems.push(...annotationProblems(source, annotations, data))
  }
  return { data, sensitive: annotations.filter(isSensitive), problems }
}

function isSensitive({ directive }: Annotation): boolean {
  return directive === 'sensitive'
}
