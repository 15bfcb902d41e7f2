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

/** The properties of a resource as a policy would give them, its `name` among them; templates are not expanded. */
export type Properties = Readonly<Record<string, unknown>>

/** How a resource is run in a test. */
export interface ResourceTestOptions {
  /** The machine; this one where it is absent. */
  readonly target?: Target
  /** What a fix works with; it changes this machine where it is absent. */
  readonly remediator?: Remediator
  /** What relative paths start from; `/` where it is absent. */
  readonly workingDirectory?: string
  /** The provider, as a policy names it. */
  readonly provider?: string
  /** Whether the resource is marked as sensitive. */
  readonly sensitive?: boolean
  /** Whether text differences may be shown; they are where it is absent. */
  readonly showDiff?: boolean
  /** Aborting it interrupts the run. */
  readonly signal?: AbortSignal
}

/**
 * Audits one resource of a type as a scan does, and resolves to its result: values checked, provider chosen, looked at and
 * decided. Wrong properties are a result, too: `error`, with every violation in `errors`.
 */
export async function auditResource(
  type: ResourceType,
  properties: Properties,
  options: ResourceTestOptions = {},
): Promise<ResourceResult> {
  return run(type, properties, options, undefined)
}

/** Fixes one resource of a type as `scan --fix` does, fresh look included, and resolves to its result. Changes the machine. */
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

/** What a type finds is compared in its tests; which finding of which policy that is says nothing about the type. */
function withoutFingerprints(result: ResourceResult): ResourceResult {
  return { ...result, drift: result.drift.map(({ fingerprint: _fingerprint, ...drift }) => drift) }
}

/** A policy with this one resource, as its file would have been read. */
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

/** Properties by their proper names, whichever of their spellings is used. */
export function withProperNames({ properties: specs }: ResourceType, properties: Properties): Properties {
  const names = propertyNames(specs)
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [names.get(name) ?? name, value]))
}
