import type { RunnablePolicy } from '../runnable/policy.ts'
import type { Result } from '../core/problem.ts'
import { loadDocuments, type LoadOptions } from './load.ts'
import type { PolicyDocument } from './read/policy.ts'
import type { BundleOptions } from '../fetch/bundle.ts'
import { localSource, type PolicySource } from '../fetch/files.ts'
import { isAddress, isBundle } from '../fetch/remote.ts'

/** What came of loading, and the means to give back what it occupies. */
export type LoadedFrom<T> = Result<readonly T[]> & {
  /**
   * Removes what bundles were unpacked to. To be called when the policies have run, whatever came of it: a policy of a
   * bundle reads its files until then. Does nothing where there were no bundles, and never rejects.
   */
  readonly dispose: () => Promise<void>
}

/** What came of loading policies. */
export type LoadedPolicies = LoadedFrom<RunnablePolicy>

/** Where nothing was unpacked. */
export const NOTHING_TO_DISPOSE = (): Promise<void> => Promise.resolve()

/** How policies are loaded that may lie in bundles. */
export interface SourceOptions extends LoadOptions {
  /** What the one remote bundle must be, as `sha256:` and 64 hex digits. */
  readonly checksum?: string
  /** Aborting it ends a download. */
  readonly signal?: AbortSignal
  /** Whether others wrote the policies: they use no files but those in their own directories. */
  readonly untrusted?: boolean
}

/** Loads policies as `loadDocuments` does, from bundles too: archives on this machine or at an http or https address. */
export async function loadSources(
  sources: readonly string[],
  options: SourceOptions,
): Promise<LoadedFrom<PolicyDocument>> {
  const { checksum, signal, untrusted = false, ...rest } = options
  const guard = untrusted ? (await import('../fetch/untrusted.ts')).untrustedSource : (source: PolicySource) => source
  const expected = expectedDigest(sources, checksum)
  if (typeof expected === 'object') {
    return { ok: false, problems: [{ ...expected, severity: 'error' }], dispose: NOTHING_TO_DISPOSE }
  }
  if (!sources.some(isBundle)) {
    const source = guard(rest.source ?? localSource)
    return { ...(await loadDocuments(sources, { ...rest, source })), dispose: NOTHING_TO_DISPOSE }
  }
  const [{ bundleSource }, { createTemporaryDirectories }] = await Promise.all([
    import('../fetch/bundle.ts'),
    import('../fetch/temporary-directories.ts'),
  ])
  const bundles: BundleOptions = {
    ...(expected === undefined ? {} : { sha256: expected }),
    ...(signal === undefined ? {} : { signal }),
  }
  const directories = createTemporaryDirectories()
  let isLoaded = false
  try {
    const loaded = await loadDocuments(sources, { ...rest, source: guard(bundleSource(directories, bundles)) })
    isLoaded = loaded.ok
    return { ...loaded, dispose: directories.remove }
  } finally {
    if (!isLoaded) await directories.remove()
  }
}

/** The digest that a checksum names, or why it cannot be meant for these policies. */
export function expectedDigest(
  sources: readonly string[],
  checksum: string | undefined,
): string | undefined | { readonly message: string } {
  if (checksum === undefined) return undefined
  const digest = /^sha256:([0-9a-f]{64})$/i.exec(checksum)?.[1]
  if (digest === undefined) return { message: `a checksum is "sha256:" and 64 hex digits, found "${checksum}"` }
  const remote = new Set(sources.filter(isAddress)).size
  if (remote === 1) return digest
  return { message: `a checksum is that of one remote bundle, and ${remote === 0 ? 'none' : remote} are named` }
}
