import { defined } from '../../model/defined.ts'
/** How far a download has come. */
export interface DownloadProgress {
  /** Without credentials, so that it can be shown. */
  readonly url: string
  readonly receivedBytes: number
  /** Where the server tells it. */
  readonly totalBytes?: number
  /** Averaged over the whole download. */
  readonly bytesPerSecond: number
}

// As often as a person can follow.
const INTERVAL_MS = 100

/** Makes the function a download calls for what it has received; the last call should say that it is the last. */
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
