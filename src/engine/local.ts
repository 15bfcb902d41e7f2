import type { RunnablePolicy } from '../runnable/policy.ts'
import type { Problem } from '../core/problem.ts'
import type { Run } from '../core/run.ts'
import type { ResourceType } from '../resource-type/define.ts'
import { resourceTypes } from '../resources/index.ts'
import { createLocalRemediator } from '../target/local/local-remediator.ts'
import type { DownloadProgress } from '../target/local/http/progress.ts'
import { createLocalTarget } from '../target/local/local-target.ts'
import type { FixLock } from '../target/local/fix-lock.ts'
import type { Target } from '../target/target.ts'
import { createFetchedDirectories } from '../fetch/fetch-directory.ts'
import { withFixLock } from './local-lock.ts'
import { notPerformed, runPolicies, type RunOptions } from './run.ts'

/** How to scan this machine; the defaults audit everything, show differences and let any drift fail the gate. */
export interface ScanOptions extends Pick<
  RunOptions,
  | 'selection'
  | 'failOn'
  | 'showDiff'
  | 'runCommands'
  | 'untrusted'
  | 'urlValues'
  | 'monitorOnly'
  | 'strictHealth'
  | 'baseline'
  | 'signal'
  | 'onProgress'
  | 'onStart'
  | 'onResult'
  | 'problems'
  | 'waivers'
  | 'today'
  | 'warnDays'
> {
  /** Repair what drifted and look again. Changes the machine. */
  readonly fix?: boolean
  /** The resource types that the policies were loaded with; by default `resourceTypes`. */
  readonly types?: readonly ResourceType[]
  /** The machine, where the caller holds it already. */
  readonly target?: Target
  /** Told how far a download of the fix has come. */
  readonly onDownload?: (progress: DownloadProgress) => void
  /** Told, in a sentence, what the fix has to wait for, such as another program that changes packages. */
  readonly onWait?: (message: string) => void
}

/**
 * Scans this machine: compares it with policies and with `fix` repairs it, at most one fix at a time. Resolves to the
 * run, whose `exit` says how the gate decides; it rejects for nothing that a policy or the machine can do. A fix that
 * has to stand back for another one is a run that was not performed (exit code 1) and names the other process.
 */
export async function scan(
  policies: RunnablePolicy | readonly RunnablePolicy[],
  options: ScanOptions = {},
): Promise<Run> {
  const { fix = false, target = createLocalTarget(), types = resourceTypes, problems = [], ...rest } = options
  const list = 'resources' in policies ? [policies] : policies
  const directories = createFetchedDirectories(rest.signal, { isOffline: rest.untrusted === true })
  const { fetchDirectory } = directories
  try {
    return await run(list, { target, types, ...rest, fetchDirectory, problems, fix })
  } finally {
    await directories.remove()
  }
}

interface LocalRun extends RunOptions, Pick<ScanOptions, 'onDownload' | 'onWait'> {
  readonly problems: readonly Problem[]
  readonly fix: boolean
}

async function run(
  list: readonly RunnablePolicy[],
  { fix, problems, onDownload, onWait, ...shared }: LocalRun,
): Promise<Run> {
  if (!fix) return runPolicies(list, { ...shared, problems })
  const outcome = await withFixLock((lock) =>
    runPolicies(list, {
      ...shared,
      remediator: createLocalRemediator(lock.journal, {
        ...(onDownload && { download: { onProgress: onDownload } }),
        ...(onWait && { packages: { onWait } }),
      }),
      problems: [...problems, ...recoveries(lock)],
    }),
  )
  if (outcome.kind === 'done') return outcome.value
  return notPerformed(shared.target, 'fix', [...problems, { message: outcome.message, severity: 'error' }])
}

function recoveries({ recovered, notRecovered }: FixLock): readonly Problem[] {
  const removed = recovered.map((path) => `removed ${path}, which an earlier fix that was killed had left`)
  return [...removed, ...notRecovered].map((message) => ({ message, severity: 'warning' }))
}
