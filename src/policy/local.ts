import type { Policy } from '../core/policy.ts'
import type { Problem, Result } from '../core/problem.ts'
import { resourceTypes } from '../resources/index.ts'
import { createLocalTarget } from '../target/local/local-target.ts'
import type { Target } from '../target/target.ts'
import type { PolicyInputs } from './inputs.ts'
import { loadDocuments, type LoadOptions } from './load.ts'
import { type OperatorOptions, readOperatorInputs } from './operator-inputs.ts'
import type { PolicyDocument } from './read.ts'

/** What policies are loaded with beside themselves; by default the environment of this process and nothing more. */
export interface LoadPolicyOptions extends Partial<Omit<OperatorOptions, 'onWarning'>> {
  /** The machine whose facts the policies see, where the caller holds it already. */
  readonly target?: Target
}

/**
 * Loads the policies of files, directories (their `.yaml`, `.yml` and `.json` files) and `-` for standard input, resolves
 * their data against the facts of this machine, and checks them. Either all are sound, or every problem of every file
 * comes back with its position and nothing is to be evaluated. Never rejects for what a file holds.
 */
export async function loadPolicy(
  sources: string | readonly string[],
  options: LoadPolicyOptions = {},
): Promise<Result<readonly Policy[]>> {
  const loaded = await loadLocalDocuments(typeof sources === 'string' ? [sources] : sources, options)
  return loaded.ok ? { ...loaded, value: loaded.value.map(({ policy }) => policy) } : loaded
}

/** As `loadPolicy`, with the files the policies were read from; `beside` makes all of them evaluable. */
export async function loadLocalDocuments(
  sources: readonly string[],
  { beside, ...options }: LoadPolicyOptions & Pick<LoadOptions, 'beside'>,
): Promise<Result<readonly PolicyDocument[]>> {
  const read = await readLocalInputs(options)
  if (!read.ok) return read
  const { inputs, warnings } = read.value
  const extra = beside === undefined ? {} : { beside }
  const loaded = await loadDocuments(sources, { types: resourceTypes, inputs, ...extra })
  return loaded.ok
    ? { ...loaded, warnings: [...loaded.warnings, ...warnings] }
    : { ok: false, problems: [...loaded.problems, ...warnings] }
}

/** What templates see of this machine and of what the operator gave. */
export interface LocalInputs {
  readonly inputs: PolicyInputs
  /** Grows as facts are asked for. */
  readonly warnings: readonly Problem[]
}

/** Reads what the operator gave; facts are gathered when they are asked for. */
export async function readLocalInputs(options: LoadPolicyOptions): Promise<Result<LocalInputs>> {
  const { target = createLocalTarget(), environ = process.env, uid = process.getuid?.() ?? 0, ...given } = options
  const warnings: Problem[] = []
  const onWarning = (warning: Problem): void => void warnings.push(warning)
  const read = await readOperatorInputs(target, { ...given, environ, uid, onWarning })
  return read.ok ? { ok: true, value: { inputs: read.value, warnings }, warnings: [] } : read
}
