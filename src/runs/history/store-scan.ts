import { OperatorError } from '../../model/operator-error.ts'
import type { Run } from '../../model/run.ts'
import type { TrendPoint } from '../../report/format.ts'
import { shortId } from './file-name.ts'
import type { Keep } from './keep-spec.ts'

/** Where the run of a scan is stored, and who is told of it. */
export interface Storing {
  readonly directory: string
  /** What stays there beside it; everything where it is undefined. */
  readonly keep: Keep | undefined
  /** Gets the report once it is on the disk. An `OperatorError` of it is told, and the run counts as not stored. */
  readonly onStored?: (report: string) => void
  /** Takes a message about what went wrong. */
  readonly warn: (message: string) => void
  /** Takes a message about what was done. */
  readonly inform: (message: string) => void
}

/** What storing a run comes to. */
export interface Stored {
  readonly isStored: boolean
  /** The runs before it, oldest first. */
  readonly trend: readonly TrendPoint[]
}

/**
 * Stores the run of a scan, or tells why it could not. Problems with the directory keep neither the scan from its
 * work nor the other reports from being written.
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

/** Reading so many reports takes a moment. */
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
      if (count >= WORTH_SAYING) inform(`the index of ${directory} does not know ${count} runs, reading them`)
    })
    if (keep !== undefined) {
      const { removed, trouble } = await pruneRuns(history, keep, entry)
      if (removed > 0) inform(`removed ${removed} old ${removed === 1 ? 'file' : 'files'} from ${directory}`)
      if (trouble !== undefined) warn(trouble)
    }
    return trendBefore(run, history.runs)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    // The run is stored; what came before it cannot be told.
    warn(error.message)
    return []
  }
}
