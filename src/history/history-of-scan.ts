import { escapeForTerminal } from '../core/escape.ts'
import type { Run } from '../core/run.ts'
import type { TrendPoint } from '../report/format.ts'
import { OperatorError } from '../core/operator-error.ts'
import { usageError } from '../cli/errors.ts'
import type { Io } from '../cli/output/io.ts'
import { historyDirectory } from './directory.ts'
import { shortId } from './file-name.ts'
import { type Keep, parseKeep } from './keep.ts'

/** What a scan is told about its history. */
export interface HistoryFlags {
  /** A directory; empty text for the default one, undefined to store nothing. */
  readonly history: string | undefined
  /** A value that `parseKeep` knows. */
  readonly keep: string | undefined
  readonly quiet: boolean
}

/** What storing a run comes to. */
export interface Stored {
  readonly isStored: boolean
  /** The runs before it, oldest first. */
  readonly trend: readonly TrendPoint[]
}

/** Stores the run of a scan, or says on standard error why it could not. */
export type StoreScan = (run: Run) => Promise<Stored>

/**
 * How a scan stores its run; undefined where it was not asked to. Whatever is wrong with the directory keeps neither the
 * scan from its work nor the other reports from being written. Throws an `OperatorError` for wrong usage.
 */
export function historyOfScan(flags: HistoryFlags, io: Io): StoreScan | undefined {
  const keep = keepOf(flags)
  if (flags.history === undefined) return undefined
  const directory = historyDirectory(flags.history, io.env)
  return async (run) => {
    const say = (message: string): void => io.say(`driftgate: ${escapeForTerminal(message)}\n`)
    try {
      return { isStored: true, trend: await store(run, { directory, keep, quiet: flags.quiet, say }) }
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      say(error.message)
      return { isStored: false, trend: [] }
    }
  }
}

function keepOf({ history, keep }: HistoryFlags): Keep | undefined {
  if (keep === undefined) return undefined
  if (history !== undefined) return parseKeep(keep)
  throw usageError('--keep says which runs stay in the history; it needs --history', 'scan')
}

interface Storing {
  readonly directory: string
  readonly keep: Keep | undefined
  readonly quiet: boolean
  readonly say: (message: string) => void
}

/** Reading so many reports takes a moment. */
const WORTH_SAYING = 500

async function store(run: Run, { directory, keep, quiet, say }: Storing): Promise<readonly TrendPoint[]> {
  const [{ pruneRuns, storeRun }, { readHistory }, { trendBefore }] = await Promise.all([
    import('./store.ts'),
    import('./read-history.ts'),
    import('./series.ts'),
  ])
  const entry = await storeRun(directory, run)
  const inform = quiet ? () => undefined : say
  inform(`stored run ${shortId(run.run.id)} in ${directory}`)
  try {
    const history = await readHistory(directory, (count) => {
      if (count >= WORTH_SAYING) inform(`the index of ${directory} does not know ${count} runs, reading them`)
    })
    if (keep !== undefined) {
      const { removed, trouble } = await pruneRuns(history, keep, entry)
      if (removed > 0) inform(`removed ${removed} old ${removed === 1 ? 'file' : 'files'} from ${directory}`)
      if (trouble !== undefined) say(trouble)
    }
    return trendBefore(run, history.runs)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    // The run is stored; what came before it cannot be told.
    say(error.message)
    return []
  }
}
