import type { LoadPolicyOptions } from '../policy/load.ts'
import type { PolicyDocument } from '../policy/read/policy.ts'
import { reportProblems, usageError } from './errors.ts'
import type { Io } from './output/io.ts'

/** Loading options besides those of the operator, and the command for messages. */
export interface LoadOneOptions extends LoadPolicyOptions {
  readonly source: string
  /** Makes the policy evaluable even without templates. */
  readonly beside?: string
  readonly command: string
  readonly io: Io
}

/**
 * Loads one policy and runs `work`; the unpacked bundle exists until then. Returns the result of `work`. If the policy
 * is invalid, prints the problems to standard error and returns undefined.
 */
export async function withOne<T>(
  { source, command, io, ...options }: LoadOneOptions,
  work: (document: PolicyDocument) => Promise<T>,
): Promise<T | undefined> {
  const [{ loadDocuments }, { sourceWith }] = await Promise.all([
    import('../policy/load.ts'),
    import('../policy/fetch/files.ts'),
  ])
  const loaded = await loadDocuments([source], { ...options, source: sourceWith(io.stdin) })
  try {
    await reportProblems(loaded.ok ? loaded.warnings : loaded.problems, io)
    if (!loaded.ok) return undefined
    const [document, other] = loaded.value
    if (other !== undefined) {
      throw usageError(`${source} contains ${loaded.value.length} policies: name one of them`, command)
    }
    return document === undefined ? undefined : await work(document)
  } finally {
    await loaded.dispose()
  }
}
