import { defined } from '../model/defined.ts'
import type { Declaration, Policy } from '../model/policy.ts'
import type { ResourceResult } from '../model/run.ts'
import { createFetchedDirectories } from '../policy/fetch/fetch-directory.ts'
import { runPolicies } from '../engine/run.ts'
import { propertyNames } from '../resource-type/decode.ts'
import type { ResourceType } from '../resource-type/define.ts'
import { NO_JOURNAL } from '../host/live/journal.ts'
import { createLocalRemediator } from '../host/live/local-remediator.ts'
import { createLocalTarget } from '../host/live/local-target.ts'
import type { Remediator } from '../host/remediator.ts'
import type { Target } from '../host/target.ts'

/** The properties of a resource as a policy declares them, including `name`; templates are not expanded. */
export type Properties = Readonly<Record<string, unknown>>

/** Options of a test run of a resource. */
export interface ResourceTestOptions {
  /** The machine; this one by default. */
  readonly target?: Target
  /** The remediator of a fix; changes this machine by default. */
  readonly remediator?: Remediator
  /** Base directory of relative paths; `/` by default. */
  readonly workingDirectory?: string
  /** The provider, as in a policy. */
  readonly provider?: string
  /** Whether the resource is marked as sensitive. */
  readonly sensitive?: boolean
  /** Whether text differences may be shown; true by default. */
  readonly showDiff?: boolean
  /** Aborting it interrupts the run. */
  readonly signal?: AbortSignal
}

/**
 * Audits one resource as a scan does: checks values, chooses the provider, observes and decides. Resolves to the
 * result. Invalid properties give the verdict `error`, with every violation in `errors`.
 */
export async function auditResource(
  type: ResourceType,
  properties: Properties,
  options: ResourceTestOptions = {},
): Promise<ResourceResult> {
  return run(type, properties, options, undefined)
}

/**
 * Fixes one resource as `scan --fix` does, including the verification afterwards. Resolves to the result. Changes the
 * machine.
 */
export async function fixResource(
  type: ResourceType,
  properties: Properties,
  options: ResourceTestOptions = {},
): Promise<ResourceResult> {
  return run(type, properties, options, options.remediator ?? createLocalRemediator(NO_JOURNAL))
}

async function run(
  type: ResourceType,
  properties: Properties,
  options: ResourceTestOptions,
  remediator: Remediator | undefined,
): Promise<ResourceResult> {
  const { target = createLocalTarget(), showDiff = true, signal } = options
  const directories = createFetchedDirectories(signal)
  const { fetchDirectory } = directories
  try {
    const { policies, problems = [] } = await runPolicies([policyOf(type, properties, options)], {
      target,
      types: [type],
      showDiff,
      fetchDirectory,
      ...defined({ remediator, signal }),
    })
    const [result] = policies.flatMap(({ resources }) => resources)
    if (result !== undefined) return withoutFingerprints(result)
    throw new Error(['nothing was evaluated', ...problems.map(({ message }) => message)].join(': '))
  } finally {
    await directories.remove()
  }
}

/** Removes fingerprints, which depend on the policy and not on the type. */
function withoutFingerprints(result: ResourceResult): ResourceResult {
  return { ...result, drift: result.drift.map(({ fingerprint: _fingerprint, ...drift }) => drift) }
}

function policyOf(type: ResourceType, properties: Properties, options: ResourceTestOptions): Policy {
  const { workingDirectory = '/', provider, sensitive = false } = options
  const own = withProperNames(type, properties)
  const name = typeof own['name'] === 'string' ? own['name'] : 'test'
  const declaration: Declaration = {
    type: type.type,
    name,
    id: `${type.type}#${name}`,
    properties: { ...own, name },
    ...defined({ provider }),
    require: [],
    subscribe: [],
    sensitive,
    position: PLACE,
  }
  return {
    id: 'test',
    source: PLACE.file,
    sha256: NO_DIGEST,
    workingDirectory,
    failOnError: false,
    controls: [],
    resources: [declaration],
    notes: [],
  }
}

const PLACE = { file: 'test.yaml', line: 1, column: 1 }

const NO_DIGEST = '0'.repeat(64)

/** Replaces aliases of properties with their names. */
export function withProperNames({ properties: specs }: ResourceType, properties: Properties): Properties {
  const names = propertyNames(specs)
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [names.get(name) ?? name, value]))
}
