import type { Report } from '../../remote/protocol.ts'
import type { Io } from '../output/io.ts'
import type { Watch } from '../scan/watch.ts'

/** How often progress is told: as often as a person can follow. In milliseconds. */
const PROGRESS_MS = 100

/** Tells another driftgate what happens here. */
export interface Teller {
  /** Paths below this directory are told as if it were the root. */
  readonly hide: (directory: string) => void
  /** Resolves when it is handed over. */
  readonly tell: (report: Report) => Promise<void>
  /** What a scan tells on the way. */
  readonly watch: Omit<Watch, 'signal'>
  /** What a scan says to people; they are at the other machine. */
  readonly io: Pick<Io, 'say' | 'screen' | 'print'>
}

/** Makes a teller that writes a line of JSON for each report. */
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
