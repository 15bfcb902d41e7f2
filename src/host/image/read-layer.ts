import type { ArchiveMeter } from '../archive/archive-limits.ts'
import { compressionOf, unpacked } from './compression.ts'
import { type Digest, hashFor, verifyDigest } from './digest.ts'
import type { HeldFile, Span } from './held-file.ts'
import type { LayeredTree } from './layers.ts'
import type { Spool } from './spool.ts'
import { createTarReader, type TarReader } from './tar-reader.ts'

/** A layer of an image and what it has to be. */
export interface Layer {
  readonly span: Span
  /** Of its bytes as they are; absent where nothing tells. */
  readonly digest?: Digest
  /** Of the tar archive in it. */
  readonly diffId: Digest
}

/** What the layers of an image are read with, one after the other. */
export interface LayerTools {
  readonly tree: LayeredTree
  /** Counts what comes out of compressed layers. */
  readonly meter: ArchiveMeter
  /** Where that is kept. */
  readonly spool: () => Spool
}

/** Puts a layer upon the tree, in one pass over its bytes. Throws an `ArchiveError` for what is damaged, refused or something else than it has to be. */
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
      // What unpacks it may come back to it when the piece is filled again.
      yield Buffer.from(piece)
    }
  }
  for await (const piece of unpacked(compression, packed())) {
    meter.countBytes(piece.length)
    hash.update(piece)
    kept.write(piece)
    reader.write(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength))
  }
  reader.end()
  if (digest !== undefined && packedHash !== undefined) verifyDigest('it', digest, packedHash)
  verifyDigest(`what is in it`, diffId, hash)
}

function readerOnto(
  tree: LayeredTree,
  number: number,
  { file, from }: { readonly file: HeldFile; readonly from: number },
): TarReader {
  return createTarReader((entry) => tree.take(entry, number, { file, at: from + entry.contentAt }))
}
