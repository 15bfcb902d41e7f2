import type { RunnablePolicy } from '../runnable/policy.ts'
import type { Problem, Result } from '../core/problem.ts'
import { loadTree } from './load-tree.ts'
import type { ParseOptions } from './parse-file.ts'
import type { PolicyDocument } from './read/policy.ts'
import { localSource, type PolicySource } from '../fetch/files.ts'

/** What policies are loaded with. */
export interface LoadOptions extends ParseOptions {
  /** Where files and standard input come from; by default this machine. */
  readonly source?: PolicySource
}

/**
 * Loads the policies of files, directories (their `.yaml`, `.yml` and `.json` files by name) and `-` for standard input.
 * Either every policy is sound, or all problems of all files come back and nothing is to be evaluated.
 */
export async function loadPolicies(
  sources: readonly string[],
  options: LoadOptions,
): Promise<Result<readonly RunnablePolicy[]>> {
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
    results.push('message' in read ? { ok: false, problems: [read] } : await loadTree(read, options))
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
  if (files.length + problems.length === 0) problems.push({ message: 'no policy was named', severity: 'error' })
  // A file that is named twice, itself and by its directory, is one policy.
  return [...new Set(files)]
}
