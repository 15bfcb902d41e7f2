import type { Problem, Result } from '../core/problem.ts'
import type { ResourceType } from '../resource-type/define.ts'
import { resourceTypes } from '../resources/index.ts'
import { createLocalTarget } from '../target/local/local-target.ts'
import type { Target } from '../target/target.ts'
import type { PolicyInputs } from './expand/inputs.ts'
import type { LoadOptions } from './load.ts'
import { type LoadedFrom, type LoadedPolicies, loadSources, NOTHING_TO_DISPOSE } from './load-sources.ts'
import { type OperatorOptions, readOperatorInputs } from './operator-inputs.ts'
import type { PolicyDocument } from './read/policy.ts'
import { withTexts } from '../fetch/texts.ts'
import type { StructureValidator } from './read/structure.ts'

/** What policies are loaded with beside themselves; by default the environment of this process and nothing more. */
export interface LoadPolicyOptions extends Partial<Omit<OperatorOptions, 'onWarning'>> {
  /** The resource types that policies can use; by default `resourceTypes`. A scan of the policies needs the same. */
  readonly types?: readonly ResourceType[]
  /** The machine whose facts the policies see, where the caller holds it already. */
  readonly target?: Target
  /** What the one remote bundle must be, as `sha256:` and 64 hex digits. */
  readonly checksum?: string
  /** Aborting it ends the download of a bundle. */
  readonly signal?: AbortSignal
  /** Policies that are texts and no files, by the name under which they are loaded; their paths start from the current directory. */
  readonly texts?: ReadonlyMap<string, string>
  /**
   * Whether others wrote the policies. Then they see no environment variables and no files but those in their own
   * directories. Scan them with the same option.
   */
  readonly untrusted?: boolean
}

/**
 * Loads the policies of files, directories (their `.yaml`, `.yml` and `.json` files), bundles (`.tar.gz`, `.tgz`, `.tar`
 * and `.zip`, by path or http or https address) and `-` for standard input, resolves their data against the facts of this
 * machine, and checks them. Either all are sound, or every problem of every file comes back with its position and nothing
 * is to be evaluated. Never rejects for what a file holds.
 *
 * Policies of bundles are unpacked into temporary directories and read them while they run, so call `dispose` of the
 * result in a `finally` after the scan. What nobody disposes of is removed when the process ends.
 */
export async function loadPolicy(
  sources: string | readonly string[],
  options: LoadPolicyOptions = {},
): Promise<LoadedPolicies> {
  const loaded = await loadLocalDocuments(typeof sources === 'string' ? [sources] : sources, options)
  return loaded.ok ? { ...loaded, value: loaded.value.map(({ policy }) => policy) } : loaded
}

const NO_ENVIRONMENT = 'environment variables are not for policies of others (--untrusted)'

/** As `loadPolicy`, with the files the policies were read from; `beside` makes all of them evaluable. */
export async function loadLocalDocuments(
  sources: readonly string[],
  {
    types = resourceTypes,
    beside,
    checksum,
    signal,
    texts,
    untrusted = false,
    ...options
  }: LoadPolicyOptions & Pick<LoadOptions, 'beside'>,
): Promise<LoadedFrom<PolicyDocument>> {
  const read = await readLocalInputs(options)
  if (!read.ok) return { ...read, dispose: NOTHING_TO_DISPOSE }
  const { inputs, warnings } = read.value
  const loaded = await loadSources(sources, {
    types,
    ...(await validatorOf(types)),
    inputs: untrusted ? { ...inputs, environ: new Map(), environRefusal: NO_ENVIRONMENT } : inputs,
    untrusted,
    ...(beside === undefined ? {} : { beside }),
    ...(checksum === undefined ? {} : { checksum }),
    ...(texts === undefined ? {} : { source: withTexts(texts) }),
    ...(signal === undefined ? {} : { signal }),
  })
  return loaded.ok
    ? { ...loaded, warnings: [...loaded.warnings, ...warnings] }
    : { ...loaded, problems: [...loaded.problems, ...warnings] }
}

/** The schema of policies is compiled when driftgate is built; further types need one of their own. */
async function validatorOf(types: readonly ResourceType[]): Promise<{ readonly validate?: StructureValidator }> {
  if (types === resourceTypes) return {}
  const { compilePolicySchema } = await import('./schema/compile.ts')
  return { validate: compilePolicySchema(types) }
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
