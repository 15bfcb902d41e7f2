import type { Digest } from './digest.ts'
import type { JsonObject } from './json.ts'
import type { Platform } from './platform.ts'
import type { Layer } from './read-layer.ts'

export interface Candidate {
  readonly names: readonly string[]
  /** Digest of its manifest in an OCI layout, or of its configuration in an archive of `docker save`; undefined if unknown. */
  readonly digest: Digest | undefined
  /** Digest of its configuration, which is the same in both formats; undefined if unknown. */
  readonly config: Digest | undefined
  readonly platform: Platform
  /** Throws an `ArchiveError` if a part of it is missing. */
  readonly open: () => OpenedImage
}

export interface OpenedImage {
  readonly config: JsonObject
  readonly layers: readonly Omit<Layer, 'diffId'>[]
}
