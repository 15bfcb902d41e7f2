import { read } from 'node:fs'
import { promisify } from 'node:util'

const readAsync = promisify(read)

const CHUNK_BYTES = 256 * 1024

/** Content of an open file from its beginning. The file stays open, which Node's streams do not guarantee. */
export async function* chunksOf(fd: number): AsyncGenerator<Buffer, void, undefined> {
  for (let position = 0; ;) {
    const { bytesRead, buffer } = await readAsync(fd, Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
