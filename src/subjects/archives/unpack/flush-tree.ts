import { close, constants, fsync, open, readdirSync } from 'node:fs'
import { promisify } from 'node:util'
import { flush } from '../../../host/live/flush.ts'
import type { Place } from '../../../host/live/place.ts'
import { errorCode } from '../../../host/live/system-error.ts'

const openAsync = promisify(open)
const fsyncAsync = promisify(fsync)
const closeAsync = promisify(close)

// Size of the libuv thread pool; the file system merges concurrent flushes.
const AT_ONCE = 4

/** Flushes a tree of files and directories to disk, so that it survives a power failure. */
export async function flushTree(directory: Place): Promise<void> {
  const entries = readdirSync(directory.handle, { withFileTypes: true, encoding: 'buffer' })
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name)
  for (let start = 0; start < files.length; start += AT_ONCE) {
    await Promise.all(files.slice(start, start + AT_ONCE).map((name) => flushFile(directory.entry(name))))
  }
  for (const entry of entries.filter((candidate) => candidate.isDirectory())) {
    const place = directory.child(entry.name)
    try {
      await flushTree(place)
    } finally {
      place.close()
    }
  }
  flush(directory)
}

async function flushFile(path: string | Buffer): Promise<void> {
  let fd: number
  try {
    fd = await openAsync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  } catch (error) {
    // The mode of the entry denies reading to its owner, so it cannot be opened and flushed.
    if (errorCode(error) === 'EACCES') return
    throw error
  }
  try {
    await fsyncAsync(fd)
  } finally {
    await closeAsync(fd)
  }
}
