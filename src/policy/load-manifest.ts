import { createHash } from 'node:crypto'
import { defined } from '../model/defined.ts'
import type { Child as AnyChild, Declaration, Origin } from '../model/policy.ts'
import type { Position, Problem, Result } from '../model/problem.ts'
import { errorAt, sourceText } from './document/lines.ts'
import type { Composed, NotComposed } from './catalogue/compose.ts'
import { readDocument } from './document/read-document.ts'
import { decodeUtf8 } from './document/text.ts'
import { type Confine, confineTo } from './fetch/confine.ts'
import { readBeside, type SourceFile } from './fetch/files.ts'
import type { ResourceType } from '../resource-type/define.ts'
import { apply, type ApplyProperties } from '../subjects/policies/index.ts'
import { foreignOrigins } from './runnable/foreign-values.ts'
import { controlOutcome, type RunnablePolicy } from './runnable/policy.ts'
import { resolveValues } from './runnable/settle.ts'
import { createRedactor, redactProblem } from './secrets/redactor.ts'
import { ForbiddenError } from '../templates/errors.ts'
import { fromPlain, type GoValue } from '../templates/govalue/index.ts'
import type { Evaluation } from './expand/evaluation.ts'
import { isGossFile } from './goss/recognise.ts'
import { hasTemplate } from './expand/has-template.ts'
import type { ForeignKeys, InheritedData, PolicyInputs } from './expand/inputs.ts'
import { isError, type PolicyDocument, readPolicy, type ReadPolicy } from './read/policy.ts'
import { loadUsedTypes } from './read/used-types.ts'
import type { StructureValidator } from './read/structure.ts'

/** The context of reading policy files. */
export interface ManifestOptions {
  /** The resource types; by default those that ship, loaded as the policies use them. */
  readonly types?: readonly ResourceType[]
  /** The external inputs of templates. */
  readonly inputs: PolicyInputs
  /** The compiled policy schema for these types; by default that of the types that ship. */
  readonly validate?: StructureValidator
  /**
   * An expression or template (may be empty) to be evaluated with the policies: every policy then gets an evaluation
   * and the facts that this text reads.
   */
  readonly beside?: string
  /** Whether child manifests that are excluded on this machine are read, too. */
  readonly appliesAll?: boolean
}

/** Maximum nesting of child manifests, as documented by CCM. */
const MAX_DEPTH = 10

/** Maximum number of child manifests of one policy, since every level could multiply them. */
const MAX_CHILDREN = 1000

/**
 * Reads the policy of a file and, through its apply resources, all child manifests. Collects the problems of all files;
 * those of a child name the resources that lead to it.
 */
export async function loadManifest(file: SourceFile, options: ManifestOptions): Promise<Result<PolicyDocument>> {
  const loading: Loading = { options, found: [], count: 0 }
  const document = await readManifest(file, { chain: [], files: [file], mayApply: true }, loading)
  const problems = toUniqueProblems(loading.found)
  if (document === undefined || problems.some(isError)) return { ok: false, problems }
  return { ok: true, value: document, warnings: problems }
}

type Child = AnyChild<RunnablePolicy>

interface Loading {
  readonly options: ManifestOptions
  readonly found: Found[]
  /** Number of child manifests read. */
  count: number
}

/** A problem, with the apply resources that lead to its file. */
interface Found {
  readonly problem: Problem
  readonly chain: readonly Link[]
}

interface Link {
  readonly id: string
  readonly position: Position
}

interface Level {
  /** The enclosing apply resources, outermost first. */
  readonly chain: readonly Link[]
  /** The files from the operator's policy down to this one. */
  readonly files: readonly SourceFile[]
  readonly mayApply: boolean
  readonly inherited?: InheritedData
}

async function readManifest(file: SourceFile, level: Level, loading: Loading): Promise<PolicyDocument | undefined> {
  const { chain, inherited } = level
  const { beside, ...plain } = loading.options
  // The operator's expression applies to the named policy only.
  const options = beside === undefined || chain.length > 0 ? plain : { ...plain, beside }
  const { document, problems } = await parseFile(file, options, inherited)
  loading.found.push(...problems.map((problem) => ({ problem, chain })))
  const applied = document?.policy.resources.filter(({ type }) => type === apply.type) ?? []
  // With wrong data, lookups of a child would be wrong, too.
  if (document === undefined || applied.length === 0 || document.evaluation?.problems.some(isError)) return document
  const children = new Map<string, Child>()
  const documents: PolicyDocument[] = []
  for (const declaration of applied) {
    const child = await readChild(declaration, { document, level, loading })
    if (child === undefined) continue
    if ('document' in child) documents.push(child.document)
    children.set(declaration.id, 'document' in child ? child.child : child)
  }
  return { ...document, policy: { ...document.policy, children }, children: documents }
}

interface Parent {
  readonly document: PolicyDocument
  readonly level: Level
  readonly loading: Loading
}

interface LoadedChild {
  readonly child: Extract<Child, { kind: 'loaded' }>
  readonly document: PolicyDocument
}

/** The child manifest of an apply resource; undefined after reporting a problem. */
async function readChild(
  declaration: Declaration,
  parent: Parent,
): Promise<LoadedChild | Exclude<Child, { kind: 'loaded' }> | undefined> {
  const { document, level, loading } = parent
  const { policy } = document
  const control = controlOutcome(policy, declaration)
  if (control.kind === 'not-managed' && loading.options.appliesAll !== true)
    return { kind: 'ruled-out', because: control.because }
  if (control.kind === 'failed') return { kind: 'failed', reason: 'template', errors: [control.message] }
  const settled = resolveValues(declaration, apply, { policy })
  if (settled.verdict === 'blocked') return { kind: 'failed', reason: 'template', errors: [settled.message] }
  if (settled.verdict === 'error') return { kind: 'failed', reason: settled.reason, errors: settled.errors }
  const file = await openChild(declaration, parent)
  if ('reason' in file) {
    loading.found.push({ problem: problemOf(declaration, document, file.reason), chain: level.chain })
    return undefined
  }
  // The specs of the type have checked the values.
  const { data, noop, health_check_only: healthCheckOnly, allow_apply: mayApply } = settled.values as ApplyProperties
  const { id, position } = declaration
  const sensitive = declaration.sensitive || settled.madeOfSecrets.has('data')
  const origins = foreignOrigins(declaration, settled, 'data')
  const below = await readManifest(
    file,
    {
      chain: [...level.chain, { id, position }],
      files: [...level.files, file],
      mayApply,
      inherited: inheritedData(data, { sensitive, origins }, document.evaluation),
    },
    loading,
  )
  if (below === undefined) return undefined
  return { child: { kind: 'loaded', policy: below.policy, noop, healthCheckOnly }, document: below }
}

/** The file of a child manifest, or why it may not be applied, as the end of a sentence about it. */
async function openChild(
  { name }: Declaration,
  { document: { policy }, level, loading }: Parent,
): Promise<SourceFile | { readonly reason: string }> {
  const { confine } = policy
  const [parent] = level.files.slice(-1)
  if (!level.mayApply) return { reason: 'is denied: allow_apply is false for this manifest' }
  if (level.chain.length >= MAX_DEPTH) return { reason: `is nested deeper than ${MAX_DEPTH} levels` }
  if (loading.count >= MAX_CHILDREN) return { reason: `exceeds the limit of ${MAX_CHILDREN} child manifests` }
  const refusal = confine?.(name)
  if (refusal !== undefined) return { reason: refusal }
  loading.count++
  const file = await readBeside(policy, name)
  if ('reason' in file) return file
  const start = level.files.findIndex(({ realPath }) => realPath !== undefined && realPath === file.realPath)
  if (start >= 0) {
    const names = [...level.files.slice(start), file].map((each) => each.file)
    return { reason: `applies itself: ${names.join(' -> ')}` }
  }
  const { confinedTo, isUntrusted } = parent ?? {}
  const origin = {
    ...defined({ confinedTo, isUntrusted }),
  }
  return { ...file, ...origin }
}

function problemOf({ id }: Declaration, { policy, written, writtenIn }: PolicyDocument, reason: string): Problem {
  const problem = errorAt(writtenIn, written.get(id)?.name.offset ?? 0, `the child manifest ${reason}`)
  return redactProblem(problem, createRedactor(policy.secrets ?? []))
}

/** The problems in order; a problem of a file reached several times is reported once. */
function toUniqueProblems(found: readonly Found[]): readonly Problem[] {
  const once = new Map<string, Problem>()
  for (const { problem, chain } of found) {
    const { position, message } = problem
    const key = JSON.stringify([position, message])
    if (!once.has(key)) once.set(key, { ...problem, message: message + reachedThrough(chain) })
  }
  return [...once.values()]
}

function reachedThrough(chain: readonly Link[]): string {
  if (chain.length === 0) return ''
  const links = chain.map(({ id, position: { file, line } }) => `${id} at ${file}:${line}`)
  return ` (reached through ${links.join(', ')})`
}

async function parseFile(
  source: SourceFile,
  { types: given, validate, inputs, beside }: ManifestOptions,
  inherited?: InheritedData,
): Promise<ReadPolicy> {
  const { file, bytes, workingDirectory, confinedTo, isUntrusted = false } = source
  const text = decodeUtf8(file, bytes)
  if (typeof text !== 'string') return { problems: [text] }
  if (isGossFile(file, text)) return readGoss(source, text, inputs)
  const confine = confinedTo === undefined ? undefined : confineTo(confinedTo, workingDirectory, isUntrusted)
  const composed = await composedOf(source, text, confine)
  if (composed !== undefined && !('root' in composed)) return composed
  const { resources = '', text: taken = '' } = composed ?? {}
  const sha256 = createHash('sha256').update(bytes).update(taken).digest('hex')
  const seen = { ...confineInputs(inputs, confine), ...defined({ inherited }) }
  const startEvaluation =
    beside !== undefined || mayEvaluate(text + resources)
      ? await (await import('./expand/evaluation.ts')).loadEvaluation(text + resources, seen, beside)
      : undefined
  const parsed = composed ?? readDocument(sourceText(file, text))
  const types = given ?? (await loadUsedTypes(parsed))
  const optional = defined({ validate, confine, composed, startEvaluation })
  return readPolicy(text, { file, workingDirectory, types, sha256, parsed, ...optional })
}

/** Composes the policy with controls from a catalogue, if it selects any. */
async function composedOf(
  { file, workingDirectory }: SourceFile,
  text: string,
  confine: Confine | undefined,
): Promise<Composed | NotComposed | undefined> {
  if (!/\bcatalogue\b/.test(text)) return undefined
  const { composePolicy } = await import('./catalogue/compose.ts')
  return composePolicy(sourceText(file, text), { source: file, workingDirectory, ...defined({ confine }) })
}

/** Goss files are scanned directly; the grammar is loaded on demand. */
async function readGoss(source: SourceFile, text: string, inputs: PolicyInputs): Promise<ReadPolicy> {
  const { workingDirectory, confinedTo, isUntrusted = false } = source
  const confine = confinedTo === undefined ? undefined : confineTo(confinedTo, workingDirectory, isUntrusted)
  const { readGossPolicy } = await import('./goss/policy.ts')
  return readGossPolicy(source, text, { inputs: confineInputs(inputs, confine), confine })
}

/** Prevents templates of a confined policy from reading other files. */
function confineInputs(inputs: PolicyInputs, confine: Confine | undefined): PolicyInputs {
  if (confine === undefined) return inputs
  return {
    ...inputs,
    readFile(path, isOfMachine) {
      const refusal = confine(path)
      if (refusal !== undefined) throw new ForbiddenError(`the file ${refusal}`)
      return inputs.readFile(path, isOfMachine)
    },
  }
}

/** Without templates, conditions and data, a policy needs no template engine. */
function mayEvaluate(text: string): boolean {
  return hasTemplate(text) || /\b(apply|control|data|hierarchy|overrides|resources_jet_file|scaffold)\b/.test(text)
}

const NOTHING: ForeignKeys = new Map()

/**
 * The data that an apply resource passes on: its own, or all data of the policy. The operator's data is excluded,
 * because every manifest gets it anyway and its lists would be appended twice.
 * @see CCM's `resources/applyresource/ccmmanifest/ccmmanifest.go`
 */
function inheritedData(
  own: Readonly<Record<string, unknown>> | undefined,
  { sensitive, origins }: Pick<Declaration, 'sensitive'> & { readonly origins: readonly Origin[] },
  evaluation: Evaluation | undefined,
): InheritedData {
  const { ownData = new Map(), secrets = [], secretPaths = [], foreign = NOTHING } = evaluation ?? {}
  if (own === undefined) return { data: ownData, secrets, secretPaths, foreign }
  const data = new Map(Object.entries(own).map(([key, value]): [GoValue, GoValue] => [key, fromPlain(value)]))
  const keys = Object.keys(own)
  return {
    data,
    secrets,
    secretPaths: sensitive ? keys.map((key) => [key]) : [],
    foreign: origins.length === 0 ? NOTHING : new Map(keys.map((key) => [key, origins])),
  }
}
