import type { ScanOptions } from '../../engine/local.ts'

/** Callbacks and abort signal of a running scan. */
export type Watch = Pick<ScanOptions, 'onStart' | 'onResult' | 'onProgress' | 'onDownload' | 'onWait'> & {
  readonly signal: AbortSignal
}
