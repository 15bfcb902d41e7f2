import type { Policy } from '../core/policy.ts'
import type { Problem, Result } from '../core/problem.ts'
import { resourceTypes } from '../resources/index.ts'
import { createLocalTarget } from '../target/local/local-target.ts'
import type { Target } from '../target/target.ts'
import { loadPolicies } from './load.ts'
import { type OperatorOptions, readOperatorInputs } from './operator-inputs.ts'

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
  const { target = createLocalTarget(), environ = process.env, uid = process.getuid?.() ?? 0, ...given } = options
  const warnings: Problem[] = []
  const onWarning = (warning: Problem): void => void warnings.push(warning)
  const inputs = await readOperatorInputs(target, { ...given, environ, uid, onWarning })
  if (!inputs.ok) return inputs
  const list = typeof sources === 'string' ? [sources] : sources
  const loaded = await loadPolicies(list, { types: resourceTypes, inputs: inputs.value })
  return loaded.ok ? { ...loaded, warnings: [...loaded.warnings, ...warnings] } : loaded
}
