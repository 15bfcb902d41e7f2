import { createHash } from 'node:crypto'
import { defined } from '../../model/defined.ts'
import type { Control, Origin, Policy } from '../../model/policy.ts'
import type { Position, Problem, Result } from '../../model/problem.ts'
import type { RunnablePolicy } from '../runnable/policy.ts'
import { createRedactor, redactProblem } from '../secrets/redactor.ts'
import type { ResourceType } from '../../resource-type/define.ts'
import { expandText, type Reader, createReader } from './body.ts'
import type { Evaluation, StartEvaluation } from '../expand/evaluation.ts'
import { problemsOfEarlyReads, resolveReads } from './export-reads.ts'
import { validatePolicy } from '../schema/generated/policy-validator.js'
import { errorAt, sourceText, type SourceText } from '../document/lines.ts'
import { policyOfList, renderResources, type ResourceList } from './jet-resources.ts'
import { readControls, texts } from './metadata.ts'
import { readDocument } from '../document/read-document.ts'
import { finishResources, type Resolver, startResolving } from './references.ts'
import { type Draft, readResources } from './resources.ts'
import { withoutQuotes } from './secret-places.ts'
import { isEvaluable, type ResolvedRead, type Written } from './written.ts'
import type { Composed } from '../catalogue/compose.ts'
import type { Confine } from '../fetch/confine.ts'
import { defaultId } from '../fetch/files.ts'
import { type OwnProperties, structureProblems, type StructureValidator } from './structure.ts'
import { member, textOf, type TreeNode } from '../document/tree.ts'

export interface ReadOptions {
  /** The file name as the operator wrote it; `-` for standard input. */
  readonly file: string
  /** The absolute base directory of relative paths in the policy. */
  readonly workingDirectory: string
  readonly types: readonly ResourceType[]
  /** The compiled policy schema for these types; by default that of the types that ship. */
  readonly validate?: StructureValidator
  /** Evaluates data and templates; without it the policy is only read, and cannot run if it has any. */
  readonly startEvaluation?: StartEvaluation
  /** Confines the files of the policy; no restriction if undefined. */
  readonly confine?: Confine
  /** The text as parsed or composed; by default it is parsed. */
  readonly parsed?: ParsedText
  /** The policy composed with its controls from a catalogue. */
  readonly composed?: Composed
  /** sha256 of the file's bytes in lowercase hex; by default that of the text in UTF-8. */
  readonly sha256?: string
}

/** The tree of a text, or the problems of one that cannot be parsed. */
export type ParsedText = ReturnType<typeof readDocument>

/** A policy together with its file, for commands that need more than its meaning. */
export interface PolicyDocument {
  readonly policy: RunnablePolicy
  readonly source: SourceText
  readonly root: TreeNode
  /** Its resources as written, by id. */
  readonly written: ReadonlyMap<string, Written>
  /** The source text of the resources: that of the file, or of the rendered template. */
  readonly writtenIn: SourceText
  /** Undefined if the policy was only read. */
  readonly evaluation: Evaluation | undefined
  /** The child manifests of its apply resources. */
  readonly children: readonly PolicyDocument[]
  /** Its further files, with the position of each reference: catalogues, or the includes of a Goss file. */
  readonly includes?: readonly { readonly path: string; readonly position: Position }[]
  /** Problems with parts that become errors in a scan; undefined without problems. */
  readonly unusableParts?: readonly Problem[]
}

/** The result of reading a policy; it is usable if no problem is an error. */
export interface ReadPolicy {
  /** Undefined if the text is not YAML. */
  readonly document?: PolicyDocument
  readonly problems: readonly Problem[]
}

/** Reads one policy. Never throws because of the text: returns all problems, in the order of the file. */
export function parsePolicy(text: string, options: ReadOptions): Result<RunnablePolicy> {
  const read = readPolicyDocument(text, options)
  return read.ok ? { ...read, value: read.value.policy } : read
}

/** Reads one policy and keeps its file. */
export function readPolicyDocument(text: string, options: ReadOptions): Result<PolicyDocument> {
  const { document, problems } = readPolicy(text, options)
  if (document === undefined || problems.some(isError)) return { ok: false, problems }
  return { ok: true, value: document, warnings: problems }
}

export function isError({ severity }: Problem): boolean {
  return severity === 'error'
}

/** Reads one policy as far as possible, so that its child manifests can be read despite problems. */
export function readPolicy(text: string, options: ReadOptions): ReadPolicy {
  const source = sourceText(options.file, text)
  const { composed, parsed } = options
  const read = documentOf(source, parsed)
  const documentProblems = withoutQuotes(source, read.problems, options.types)
  if (!('root' in read)) return { problems: documentProblems }
  const { root } = read
  const evaluation = options.startEvaluation?.(source, root, options.workingDirectory)
  const { problems, ...rest } = readTree(source, root, { ...options, evaluation })
  const all = inOrder([...documentProblems, ...problems.filter(createPlaceFilter(documentProblems))], source.file)
  const includes = defined({ includes: composed?.includes })
  return {
    document: { ...rest, source, root, evaluation, children: [], ...includes },
    problems: all.map(withOrigin(composed)),
  }
}

function documentOf(source: SourceText, parsed: ParsedText | undefined): ParsedText {
  return parsed ?? readDocument(source)
}

/** Adds the position in the catalogue to a problem in one of its controls. */
function withOrigin(composed: Composed | undefined): (problem: Problem) => Problem {
  return (problem) => {
    const origin = composed?.origins.get(problem.position?.line ?? 0)
    return origin === undefined ? problem : { ...problem, message: `${problem.message} (${origin})` }
  }
}

function readTree(
  source: SourceText,
  root: TreeNode,
  options: ReadOptions & { readonly evaluation: Evaluation | undefined },
): Pick<PolicyDocument, 'policy' | 'written' | 'writtenIn'> & { readonly problems: readonly Problem[] } {
  const { file, workingDirectory, types, validate = validatePolicy, evaluation, confine } = options
  const ccm = member(root, 'ccm')
  const metadata = member(root, 'policy')
  const reader = createReader(source, types, { evaluation, confine, madeOf: NOTHING })
  const rendered = renderResources(ccm, { source, workingDirectory, evaluation })
  const list = rendered ?? { source, list: member(ccm, 'resources'), problems: [], isOpen: false, madeOf: NOTHING }
  const listReader = rendered === undefined ? reader : renderedReader(rendered, reader)
  const drafts = readResources(listReader, list.list)
  const resolver = startResolving(list.source, drafts, list.isOpen)
  const reads = readsOf(listReader, resolver, drafts)
  const resources = finishResources(resolver, drafts, reads)
  const metadataResolver = { ...resolver, source, problems: reader.problems }
  const controls = readControls(metadataResolver, member(metadata, 'controls'))
  const own: OwnProperties = new Map([...reader.spellings].map(([type, names]) => [type, new Set(names.keys())]))
  const said = messages(reader, ccm)
  const early = ['data', 'hierarchy', 'overrides'].map((key) => member(root, key))
  const messageNodes = [member(ccm, 'pre_message'), member(ccm, 'post_message')]
  const problems = [
    ...(evaluation?.problems ?? []),
    ...(evaluation === undefined
      ? []
      : problemsOfEarlyReads(source, [...early, ...messageNodes], evaluation.findReads)),
    ...reader.problems,
    ...structureProblems(source, root, validate, own),
    ...(rendered === undefined ? resolver.problems : []),
  ].map(createProblemRedactor(reader))
  if (rendered !== undefined) {
    const { problems: found } = listReader
    found.push(...resolver.problems)
    if (list.list !== undefined) found.push(...structureProblems(list.source, policyOfList(list.list), validate, own))
    const ofText = withoutQuotes(list.source, rendered.problems, types)
    problems.push(...[...ofText, ...found].map(createProblemRedactor(listReader)))
  }
  const failOnError = member(ccm, 'fail_on_error')
  const written = new Map(drafts.map((draft, at) => [resources[at]?.id ?? '', withReads(draft.written, reads[at])]))
  const policy: RunnablePolicy = {
    id: textOf(member(metadata, 'id')) ?? defaultId(file),
    ...texts(metadata, ['title', 'version', 'description']),
    source: file,
    sha256: options.sha256 ?? createHash('sha256').update(source.text).digest('hex'),
    workingDirectory,
    failOnError: failOnError?.kind === 'scalar' && failOnError.value === true,
    ...said,
    controls,
    resources,
    ...evaluationParts(listReader, written),
    ...defined({ confine }),
    types,
    notes: [...new Set([...reader.notes, ...listReader.notes])],
  }
  if (drafts.length === 0 && problems.length === 0) problems.push(...emptinessProblems(list, controls))
  return { policy, written, writtenIn: list.source, problems }
}

/** A policy without resources is invalid, unless all its controls are manual. */
function emptinessProblems(
  { source, list }: Pick<ResourceList, 'source' | 'list'>,
  controls: readonly Control[],
): readonly Problem[] {
  if (controls.length > 0 && controls.every(({ manual }) => manual === true)) return []
  const isEmpty = list?.kind === 'list' && list.items.length === 0
  const message = isEmpty ? 'ccm.resources must not be empty' : 'the policy has no resources'
  return [errorAt(source, list?.offset ?? 0, message)]
}

function readsOf(
  { evaluation, types }: Reader,
  resolver: Resolver,
  drafts: readonly Draft[],
): readonly (readonly ResolvedRead[])[] {
  return evaluation === undefined ? [] : resolveReads(resolver, drafts, { find: evaluation.findReads, types })
}

function withReads(written: Written, reads: readonly ResolvedRead[] = []): Written {
  return reads.length === 0 ? written : { ...written, reads }
}

const NOTHING: ReadonlySet<Origin> = new Set()

/** A reader of resources in another text than that of the policy. */
function renderedReader({ source, madeOf }: ResourceList, { types, evaluation, confine }: Reader): Reader {
  return createReader(source, [...types.values()], { evaluation: evaluation?.within(source), confine, madeOf })
}

function messages(reader: Reader, ccm: TreeNode | undefined): Pick<Policy, 'preMessage' | 'postMessage'> {
  const preMessage = message(reader, member(ccm, 'pre_message'))
  const postMessage = message(reader, member(ccm, 'post_message'))
  return defined({ preMessage, postMessage })
}

function message(reader: Reader, node: TreeNode | undefined): string | undefined {
  if (node?.kind !== 'scalar' || node.value === null) return undefined
  const text = expandText(reader, node)
  if (typeof text === 'string') return text
  reader.problems.push(text)
  return undefined
}

/** The parts of a policy that evaluates anything: its expander and its secrets. */
function evaluationParts(
  { evaluation, types }: Reader,
  written: ReadonlyMap<string, Written>,
): Pick<RunnablePolicy, 'complete' | 'expander' | 'reads' | 'secrets' | 'templates'> {
  if (evaluation === undefined) return {}
  const evaluable = new Map(
    [...written].filter(([, { body, unexpanded }]) => unexpanded !== undefined || isEvaluable(body)),
  )
  const { secrets, templates, reads, complete } = evaluation
  const expander = evaluation.createExpander(types, evaluable)
  return { expander, templates, reads, ...defined({ complete }), ...(secrets.length === 0 ? {} : { secrets }) }
}

/** Whether a problem has another position than these: a dangling alias hides what the value should have been. */
function createPlaceFilter(taken: readonly Problem[]): (problem: Problem) => boolean {
  const places = new Set(taken.map(placeOf))
  return (problem) => !places.has(placeOf(problem))
}

/** Redacts secrets in problems: source lines with secrets are removed, and names made of secrets replaced. */
function createProblemRedactor({ source, evaluation }: Reader): (problem: Problem) => Problem {
  const redactor = createRedactor(evaluation?.secrets ?? [])
  return (problem) => {
    const { sourceLine, ...shown } = redactProblem(problem, redactor)
    const isHidden = sourceLine === undefined || source.secrets.lines.has(problem.position?.line ?? 0)
    return isHidden ? shown : { ...shown, sourceLine }
  }
}

function placeOf({ position }: Problem): string {
  return `${position?.file}:${position?.line}:${position?.column}`
}

/**
 * Problems sorted by position, those of the policy's own file first, without duplicates: defaults of a list apply to
 * every resource in it.
 */
function inOrder(problems: readonly Problem[], file: string): Problem[] {
  const once = new Map<string, Problem>()
  for (const problem of problems) {
    const key = `${placeOf(problem)}:${problem.message}`
    if (!once.has(key)) once.set(key, problem)
  }
  const isElsewhere = ({ position }: Problem): number => (position === undefined || position.file === file ? 0 : 1)
  return [...once.values()].toSorted((left, right) => {
    const byFile = isElsewhere(left) - isElsewhere(right)
    if (byFile !== 0) return byFile
    const byLine = (left.position?.line ?? 0) - (right.position?.line ?? 0)
    return byLine === 0 ? (left.position?.column ?? 0) - (right.position?.column ?? 0) : byLine
  })
}
