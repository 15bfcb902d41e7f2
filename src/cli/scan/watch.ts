import type { ScanOptions } from '../../engine/local.ts'

/** Who is told of a scan while it runs, and its interruption. */
export type Watch = Pick<ScanOptions, 'onStart' | 'onResult' | 'onProgress' | 'onDownload' | 'onWait'> & {
  readonly signal: AbortSignal
}
