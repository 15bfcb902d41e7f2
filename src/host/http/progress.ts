import { defined } from '../../model/defined.ts'
export interface DownloadProgress {
  /** Without credentials. */
  readonly url: string
  readonly receivedBytes: number
  /** Undefined if the server does not send it. */
  readonly totalBytes?: number
  /** Average of the whole download. */
  readonly bytesPerSecond: number
}

// As often as a user can follow.
const INTERVAL_MS = 100

/** Makes the progress callback of a download; set `isLast` in the last call. */
export function progressReporter(
  url: string,
  onProgress: ((progress: DownloadProgress) => void) | undefined,
): (state: {
  readonly receivedBytes: number
  readonly totalBytes: number | undefined
  readonly isLast: boolean
}) => void {
  const begin = performance.now()
  let reportedAt = Number.NEGATIVE_INFINITY
  return ({ receivedBytes, totalBytes, isLast }) => {
    const now = performance.now()
    if (onProgress === undefined || (!isLast && now - reportedAt < INTERVAL_MS)) return
    reportedAt = now
    const seconds = Math.max(now - begin, 1) / 1000
    const bytesPerSecond = Math.round(receivedBytes / seconds)
    onProgress({ url, receivedBytes, ...defined({ totalBytes }), bytesPerSecond })
  }
}
