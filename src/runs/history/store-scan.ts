import { OperatorError } from '../../model/operator-error.ts'
import type { Run } from '../../model/run.ts'
import type { TrendPoint } from '../../report/format.ts'
import { shortId } from './file-name.ts'
import type { Keep } from './keep-spec.ts'

/** Settings for storing a run. */
export interface Storing {
  readonly directory: string
  /** Retention of the stored runs; undefined keeps all. */
  readonly keep: Keep | undefined
  /**
   * Receives the path of the stored report. If it throws an `OperatorError`, the error is reported and the run counts
   * as not stored.
   */
  readonly onStored?: (report: string) => void
  /** Reports a problem. */
  readonly warn: (message: string) => void
  /** Reports an action. */
  readonly inform: (message: string) => void
}

/** Result of storing a run. */
export interface Stored {
  readonly isStored: boolean
  /** Earlier runs, oldest first. */
  readonly trend: readonly TrendPoint[]
}

/**
 * Stores the run of a scan, or reports the reason of a failure. A failure affects neither the scan nor the other
 * reports.
 */
export async function storeScan(run: Run, storing: Storing): Promise<Stored> {
  try {
    return { isStored: true, trend: await store(run, storing) }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    storing.warn(error.message)
    return { isStored: false, trend: [] }
  }
}

/** Reading this many reports takes noticeable time. */
const WORTH_SAYING = 500

async function store(run: Run, { directory, keep, onStored, warn, inform }: Storing): Promise<readonly TrendPoint[]> {
  const [{ pruneRuns, storeRun }, { readHistory }, { trendBefore }] = await Promise.all([
    import('./store.ts'),
    import('./read-history.ts'),
    import('./series.ts'),
  ])
  const entry = await storeRun(directory, run, onStored)
  inform(`stored run ${shortId(run.run.id)} in ${directory}`)
  try {
    const history = await readHistory(directory, (count) => {
      if (count >= WORTH_SAYING) inform(`reading ${count} runs that are not in the index of ${directory}`)
    })
    if (keep !== undefined) {
      const { removed, trouble } = await pruneRuns(history, keep, entry)
      if (removed > 0) inform(`removed ${removed} old ${removed === 1 ? 'file' : 'files'} from ${directory}`)
      if (trouble !== undefined) warn(trouble)
    }
    return trendBefore(run, history.runs)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    // The run is stored, but the earlier runs are unreadable.
    warn(error.message)
    return []
  }
}
