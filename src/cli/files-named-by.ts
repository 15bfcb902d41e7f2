import type { Problem } from '../model/problem.ts'
import { readTextFile } from '../policy/fetch/text-file.ts'
import { namedFiles, type NamedFiles } from '../engine/inspect/named-files.ts'
import { type LoadDocumentsOptions, loadDocuments } from '../policy/load.ts'
import { loadTypes } from '../subjects/index.ts'

/** Files that a scan of these policies would open, or the problems that prevent loading them. */
export async function filesNamedBy(
  policies: readonly string[],
  options: LoadDocumentsOptions,
): Promise<NamedFiles | { readonly problems: readonly Problem[] }> {
  const types = options.types ?? (await loadTypes())
  const loaded = await loadDocuments(policies, { ...options, appliesAll: true })
  try {
    return loaded.ok ? namedFiles(loaded.value, types, textOf) : { problems: loaded.problems }
  } finally {
    await loaded.dispose()
  }
}

function textOf(path: string): string | undefined {
  try {
    return readTextFile(path)
  } catch {
    return undefined
  }
}
