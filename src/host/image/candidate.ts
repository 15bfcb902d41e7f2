import type { Digest } from './digest.ts'
import type { JsonObject } from './json.ts'
import type { Platform } from './platform.ts'
import type { Layer } from './read-layer.ts'

/** An image that can be looked at. */
export interface Candidate {
  readonly names: readonly string[]
  /** Of its manifest in an OCI layout, of its configuration in what Docker saves; undefined where nothing tells. */
  readonly digest: Digest | undefined
  /** Of its configuration, by which it is the same image in both forms; undefined where nothing tells. */
  readonly config: Digest | undefined
  readonly platform: Platform
  /** Throws an `ArchiveError` where something of it is missing. */
  readonly open: () => OpenedImage
}

/** What an image says of itself, and its layers from the lowest one on. */
export interface OpenedImage {
  readonly config: JsonObject
  readonly layers: readonly Omit<Layer, 'diffId'>[]
}
