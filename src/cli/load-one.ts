import type { PolicyDocument } from '../policy/read.ts'
import type { LoadPolicyOptions } from '../policy/local.ts'
import { usageError } from './errors.ts'
import type { Io } from './io.ts'
import { reportProblems } from './problems.ts'

/** What is loaded beside the options of the operator, and for which command. */
export interface LoadOneOptions extends LoadPolicyOptions {
  readonly beside: string
  readonly command: string
}

/** Loads one policy that can be evaluated. Where it is unusable, says why on standard error and gives undefined. */
export async function loadOne(
  source: string,
  { command, ...options }: LoadOneOptions,
  io: Io,
): Promise<PolicyDocument | undefined> {
  const { loadLocalDocuments } = await import('../policy/local.ts')
  const loaded = await loadLocalDocuments([source], options)
  await reportProblems(loaded.ok ? loaded.warnings : loaded.problems, io)
  if (!loaded.ok) return undefined
  const [document, other] = loaded.value
  if (other !== undefined)
    throw usageError(`${source} holds ${loaded.value.length} policies, name one of them`, command)
  return document
}
