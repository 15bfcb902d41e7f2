import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { errorCode } from '../live/system-error.ts'
import { ArchiveError } from './archive-error.ts'

const CHUNK_BYTES = 256 * 1024

/** Unpacks gzip. Throws an `ArchiveError` for damaged data. */
export async function* gunzip(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  const source = Readable.from(packed)
  const unpacker = createGunzip({ chunkSize: CHUNK_BYTES })
  source.on('error', (error) => unpacker.destroy(error))
  try {
    yield* source.pipe(unpacker)
  } catch (error) {
    if (!(error instanceof Error) || errorCode(error)?.startsWith('Z_') !== true) throw error
    throw new ArchiveError(`damaged compressed data: ${error.message}`)
  } finally {
    source.destroy()
    unpacker.destroy()
  }
}
