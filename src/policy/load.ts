import { createHash } from 'node:crypto'
import type { Policy } from '../core/policy.ts'
import type { Problem, Result } from '../core/problem.ts'
import type { ResourceType } from '../resources/define.ts'
import { parsePolicy } from './read.ts'
import { localSource, type PolicySource, type SourceFile } from './source/files.ts'
import type { StructureValidator } from './structure.ts'
import { decodeUtf8 } from './text.ts'

/** What policies are loaded with. */
export interface LoadOptions {
  readonly types: readonly ResourceType[]
  /** Where files and standard input come from; by default this machine. */
  readonly source?: PolicySource
  /** The compiled schema of policies with these types; by default that of the types that ship. */
  readonly validate?: StructureValidator
}

/**
 * Loads the policies of files, directories (their `.yaml`, `.yml` and `.json` files by name) and `-` for standard input.
 * Either every policy is sound, or all problems of all files come back and nothing is to be evaluated.
 */
export async function loadPolicies(
  sources: readonly string[],
  options: LoadOptions,
): Promise<Result<readonly Policy[]>> {
  const { source = localSource } = options
  const policies: Policy[] = []
  const problems: Problem[] = []
  const warnings: Problem[] = []
  for (const file of await listAll(sources, source, problems)) {
    const read = file === '-' ? await source.readStdin() : await source.read(file)
    const result = 'message' in read ? failed(read) : parseFile(read, options)
    if (result.ok) {
      policies.push(result.value)
      warnings.push(...result.warnings)
    } else problems.push(...result.problems)
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: policies, warnings }
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

function parseFile({ file, bytes, workingDirectory }: SourceFile, { types, validate }: LoadOptions): Result<Policy> {
  const text = decodeUtf8(file, bytes)
  if (typeof text !== 'string') return failed(text)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const custom = validate === undefined ? {} : { validate }
  return parsePolicy(text, { file, workingDirectory, types, sha256, ...custom })
}

function failed(problem: Problem): Result<never> {
  return { ok: false, problems: [problem] }
}
