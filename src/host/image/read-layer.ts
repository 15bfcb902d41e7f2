import type { ArchiveMeter } from '../archive/archive-limits.ts'
import { compressionOf, decompressStream } from './compression.ts'
import { type Digest, hashFor, verifyDigest } from './digest.ts'
import type { HeldFile, Span } from './held-file.ts'
import type { LayeredTree } from './layers.ts'
import type { Spool } from './spool.ts'
import { createTarReader, type TarReader } from './tar-reader.ts'

export interface Layer {
  readonly span: Span
  /** Of the stored bytes; undefined if unknown. */
  readonly digest?: Digest
  /** Of the uncompressed tar archive. */
  readonly diffId: Digest
}

/** The state shared by the layers of an image, which are read in order. */
export interface LayerTools {
  readonly tree: LayeredTree
  /** Counts the output of compressed layers. */
  readonly meter: ArchiveMeter
  /** The storage of that output. */
  readonly spool: () => Spool
}

/**
 * Applies a layer to the tree, in one pass over its bytes. Throws an `ArchiveError` if it is damaged, refused or does
 * not match its digest.
 */
export async function readLayer(layer: Layer, number: number, tools: LayerTools): Promise<void> {
  const compression = compressionOf(layer.span)
  if (compression === 'none') await readPlain(layer, number, tools)
  else await readCompressed(layer, number, { ...tools, compression })
}

async function readPlain({ span, digest, diffId }: Layer, number: number, { tree }: LayerTools): Promise<void> {
  const reader = readerOnto(tree, number, { file: span.file, from: span.at })
  const hash = hashFor(diffId)
  const other = digest !== undefined && digest.algorithm !== diffId.algorithm ? hashFor(digest) : undefined
  for await (const piece of span.file.pieces(span.at, span.sizeBytes)) {
    hash.update(piece)
    other?.update(piece)
    reader.write(piece)
  }
  reader.end()
  if (digest !== undefined) verifyDigest('it', digest, other ?? hash.copy())
  verifyDigest('it', diffId, hash)
}

async function readCompressed(
  { span, digest, diffId }: Layer,
  number: number,
  { tree, meter, spool, compression }: LayerTools & { readonly compression: 'gzip' | 'zstd' },
): Promise<void> {
  const kept = spool()
  const reader = readerOnto(tree, number, { file: kept.file, from: kept.sizeBytes() })
  const hash = hashFor(diffId)
  const packedHash = digest === undefined ? undefined : hashFor(digest)
  async function* packed(): AsyncGenerator<Buffer, void, undefined> {
    for await (const piece of span.file.pieces(span.at, span.sizeBytes)) {
      packedHash?.update(piece)
      // The decompressor may read the chunk after its buffer is reused.
      yield Buffer.from(piece)
    }
  }
  for await (const piece of decompressStream(compression, packed())) {
    meter.countBytes(piece.length)
    hash.update(piece)
    kept.write(piece)
    reader.write(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength))
  }
  reader.end()
  if (digest !== undefined && packedHash !== undefined) verifyDigest('it', digest, packedHash)
  verifyDigest(`its content`, diffId, hash)
}

function readerOnto(
  tree: LayeredTree,
  number: number,
  { file, from }: { readonly file: HeldFile; readonly from: number },
): TarReader {
  return createTarReader((entry) => tree.take(entry, number, { file, at: from + entry.contentAt }))
}
