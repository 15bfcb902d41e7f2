import { Decompress } from 'fzstd'
import { ArchiveError } from '../archive/archive-error.ts'

// A chunk of this size may decompress to some thousand times as much.
const PIECE_BYTES = 16 * 1024

/** Decompresses Zstandard. Throws an `ArchiveError` if it is damaged. Checksums are not verified. @see RFC 8878 */
export async function* unzstd(packed: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array, void, undefined> {
  let ready: Uint8Array[] = []
  const decoder = new Decompress((bytes) => {
    ready.push(bytes)
  })
  for await (const chunk of packed) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      // The decoder keeps unused bytes, and the chunk's buffer is reused.
      push(decoder, Buffer.from(chunk.subarray(at, at + PIECE_BYTES)), 'more')
      yield* ready
      ready = []
    }
  }
  push(decoder, new Uint8Array(0), 'last')
  yield* ready
}

function push(decoder: Decompress, bytes: Uint8Array, which: 'more' | 'last'): void {
  try {
    decoder.push(bytes, which === 'last')
  } catch (error) {
    if (!(error instanceof Error)) throw error
    throw new ArchiveError(`damaged compressed data: ${error.message}`)
  }
}
