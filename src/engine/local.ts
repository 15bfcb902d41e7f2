import process from 'node:process'
import type { RunnablePolicy } from '../policy/runnable/policy.ts'
import type { Run } from '../model/run.ts'
import type { ResourceType } from '../resource-type/define.ts'
import { loadTypes } from '../subjects/index.ts'
import { createLocalTarget } from '../host/live/local-target.ts'
import { openOwedReactions } from '../host/live/owed-reactions.ts'
import { regularStateDirectory } from '../host/live/state-directory.ts'
import type { Target } from '../host/target.ts'
import { createFetchedDirectories } from '../policy/fetch/fetch-directory.ts'
import type { FixOptions, LocalFix } from './local-fix.ts'
import { runPolicies, type RunOptions } from './run.ts'

/**
 * Options for scanning this machine. The defaults audit everything, show differences and let any drift fail the gate.
 */
export interface ScanOptions
  extends
    FixOptions,
    Pick<
      RunOptions,
      | 'review'
      | 'onExpectation'
      | 'selection'
      | 'failOn'
      | 'showDiff'
      | 'runCommands'
      | 'allowRemovals'
      | 'writeMountPoints'
      | 'keepLinks'
      | 'untrusted'
      | 'cleanEnvironment'
      | 'askPrograms'
      | 'askSandboxed'
      | 'urlValues'
      | 'monitorOnly'
      | 'strictHealth'
      | 'register'
      | 'baseline'
      | 'signal'
      | 'onProgress'
      | 'onStart'
      | 'onResult'
      | 'problems'
      | 'waivers'
      | 'today'
      | 'warnDays'
      | 'targetName'
    > {
  /** Fix drift and observe again. Changes the machine. */
  readonly fix?: boolean
  /** Resource types that replace those the policies were loaded with. */
  readonly types?: readonly ResourceType[] | undefined
  /** Target opened by `openTarget`; default: this machine. */
  readonly target?: Target
}

/**
 * Scans this machine against policies; with `fix`, remediates drift, one fix at a time. Resolves to the run, whose
 * `exit` is the gate's decision; never rejects because of a policy or the machine. A fix that finds another one running
 * is not performed (exit code 1) and names the other process.
 */
export async function scan(
  policies: RunnablePolicy | readonly RunnablePolicy[],
  options: ScanOptions = {},
): Promise<Run> {
  const list = 'resources' in policies ? [policies] : policies
  const { fix = false, target = createLocalTarget(), problems = [], ...rest } = options
  const types = options.types ?? (await typesOf(list))
  const directories = createFetchedDirectories(rest.signal, { isOffline: rest.untrusted === true })
  const { fetchDirectory } = directories
  try {
    return await run(list, { target, ...rest, types, fetchDirectory, problems, fix })
  } finally {
    await directories.remove()
  }
}

/** All types of the loaded policies. Throws an error if two have the same name. */
async function typesOf(policies: readonly RunnablePolicy[]): Promise<readonly ResourceType[]> {
  const each = await Promise.all(policies.map(typesWithin))
  const types = new Set(each.flat())
  const byName = new Map(Array.from(types, (type) => [type.type, type]))
  const twice = [...types].find((type) => byName.get(type.type) !== type)
  if (twice === undefined) return [...types]
  throw new Error(`the policies use two different resource types called ${twice.type}; scan them separately`)
}

async function typesWithin(policy: RunnablePolicy): Promise<readonly ResourceType[]> {
  const below = [...(policy.children?.values() ?? [])].filter((child) => child.kind === 'loaded')
  const types = await Promise.all(below.map((child) => typesWithin(child.policy)))
  return [...(policy.types ?? (await loadTypes())), ...types.flat()]
}

interface LocalRun extends LocalFix {
  readonly fix: boolean
}

async function run(list: readonly RunnablePolicy[], { fix, ...shared }: LocalRun): Promise<Run> {
  if (!fix) {
    const directory = shared.target.kind === 'local' ? regularStateDirectory(process.env['XDG_STATE_HOME']) : undefined
    return runPolicies(list, { ...shared, ...(directory !== undefined && { owed: openOwedReactions(directory) }) })
  }
  // An audit does not load code that changes the machine.
  const { fixMachine } = await import('./local-fix.ts')
  return fixMachine(list, shared)
}
