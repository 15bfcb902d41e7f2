import { createHash } from 'node:crypto'
import type { Policy } from '../core/policy.ts'
import type { Problem, Result } from '../core/problem.ts'
import type { ResourceType } from '../resources/define.ts'
import { type PolicyInputs, NO_INPUTS } from './inputs.ts'
import { type PolicyDocument, readPolicyDocument } from './read.ts'
import { hasTemplate } from './has-template.ts'
import { type Confine, confineTo } from './source/confine.ts'
import { localSource, type PolicySource, type SourceFile } from './source/files.ts'
import type { StructureValidator } from './structure.ts'
import { decodeUtf8 } from './text.ts'

/** What policies are loaded with. */
export interface LoadOptions {
  readonly types: readonly ResourceType[]
  /** What templates see of the world; nothing where absent. */
  readonly inputs?: PolicyInputs
  /** Where files and standard input come from; by default this machine. */
  readonly source?: PolicySource
  /** The compiled schema of policies with these types; by default that of the types that ship. */
  readonly validate?: StructureValidator
  /**
   * An expression or template, or the empty text, that will be evaluated beside those of the policies: every policy gets
   * an evaluation then, and the facts that this one reads.
   */
  readonly beside?: string
}

/**
 * Loads the policies of files, directories (their `.yaml`, `.yml` and `.json` files by name) and `-` for standard input.
 * Either every policy is sound, or all problems of all files come back and nothing is to be evaluated.
 */
export async function loadPolicies(
  sources: readonly string[],
  options: LoadOptions,
): Promise<Result<readonly Policy[]>> {
  const loaded = await loadDocuments(sources, options)
  return loaded.ok ? { ...loaded, value: loaded.value.map(({ policy }) => policy) } : loaded
}

/** As `loadPolicies`, with the files the policies were read from. */
export async function loadDocuments(
  sources: readonly string[],
  options: LoadOptions,
): Promise<Result<readonly PolicyDocument[]>> {
  const { source = localSource } = options
  const unlisted: Problem[] = []
  const results: Result<PolicyDocument>[] = []
  for (const file of await listAll(sources, source, unlisted)) {
    const read = file === '-' ? await source.readStdin() : await source.read(file)
    results.push('message' in read ? failed(read) : await parseFile(read, options))
  }
  const problems = [...unlisted, ...results.flatMap((result) => (result.ok ? [] : result.problems))]
  if (problems.length > 0) return { ok: false, problems }
  const sound = results.filter((result) => result.ok)
  return { ok: true, value: sound.map(({ value }) => value), warnings: sound.flatMap(({ warnings }) => warnings) }
}

async function listAll(sources: readonly string[], source: PolicySource, problems: Problem[]): Promise<string[]> {
  const files: string[] = []
  for (const name of sources) {
    const listed = name === '-' ? ['-'] : await source.list(name)
    if ('message' in listed) problems.push(listed)
    else files.push(...listed)
  }
  if (sources.length === 0) problems.push({ message: 'no policy was named', severity: 'error' })
  // A file that is named twice, itself and by its directory, is one policy.
  return [...new Set(files)]
}

async function parseFile(
  { file, bytes, workingDirectory, confinedTo }: SourceFile,
  { types, validate, inputs = NO_INPUTS, beside }: LoadOptions,
): Promise<Result<PolicyDocument>> {
  const text = decodeUtf8(file, bytes)
  if (typeof text !== 'string') return failed(text)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const confine = confinedTo === undefined ? undefined : confineTo(confinedTo)
  const custom = { ...(validate === undefined ? {} : { validate }), ...(confine === undefined ? {} : { confine }) }
  const startEvaluation =
    beside !== undefined || mayEvaluate(text)
      ? await (await import('./evaluation.ts')).loadEvaluation(text, confined(inputs, confine), beside)
      : undefined
  const evaluating = startEvaluation === undefined ? {} : { startEvaluation }
  return readPolicyDocument(text, { file, workingDirectory, types, sha256, ...custom, ...evaluating })
}

/** Templates of a confined policy read no file that the policy may not name. */
function confined(inputs: PolicyInputs, confine: Confine | undefined): PolicyInputs {
  if (confine === undefined) return inputs
  return {
    ...inputs,
    readFile(path) {
      const refusal = confine(path)
      if (refusal !== undefined) throw new Error(`the file ${refusal}`)
      return inputs.readFile(path)
    },
  }
}

function failed(problem: Problem): Result<never> {
  return { ok: false, problems: [problem] }
}

/** A policy without templates, conditions and data is spared the engines that evaluate them. */
function mayEvaluate(text: string): boolean {
  return hasTemplate(text) || /\b(control|data|hierarchy|overrides|resources_jet_file|scaffold)\b/.test(text)
}
