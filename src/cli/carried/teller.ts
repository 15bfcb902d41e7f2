import type { Report } from '../../remote/protocol.ts'
import type { Io } from '../output/io.ts'
import type { Watch } from '../scan/watch.ts'

/** Interval of progress messages, in milliseconds. */
const PROGRESS_MS = 100

/** Reports to the calling driftgate. */
export interface Teller {
  /** Strips this directory from reported paths. */
  readonly hide: (directory: string) => void
  /** Resolves when the message is handed over. */
  readonly tell: (report: Report) => Promise<void>
  /** Events of a scan. */
  readonly watch: Omit<Watch, 'signal'>
  /** Output for the user of the calling machine. */
  readonly io: Pick<Io, 'say' | 'screen' | 'print'>
}

/** Creates a teller that writes one JSON line per message. */
export function createTeller({ print }: Pick<Io, 'print'>): Teller {
  let luggage: string | undefined
  let told = Number.NEGATIVE_INFINITY
  const tell = (report: Report): Promise<void> => {
    const line = JSON.stringify(report)
    return print(`${luggage === undefined ? line : line.replaceAll(luggage, '')}\n`)
  }
  return {
    hide(directory) {
      luggage = directory
    },
    tell,
    watch: {
      onStart: (start) => tell({ start }),
      onResult: (policy, result) => tell({ result: [policy, result] }),
      onProgress(progress) {
        const now = performance.now()
        if (now - told < PROGRESS_MS) return
        told = now
        void tell({ progress })
      },
      onDownload: (download) => void tell({ download }),
      onWait: (wait) => void tell({ wait }),
    },
    io: {
      say: (text) => void tell({ say: text }),
      screen: undefined,
      print: (text) => tell({ say: text }),
    },
  }
}
