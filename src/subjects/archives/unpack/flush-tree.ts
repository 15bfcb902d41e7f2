import { close, constants, fsync, open, readdirSync } from 'node:fs'
import { promisify } from 'node:util'
import { flush } from '../../../host/live/flush.ts'
import type { Place } from '../../../host/live/place.ts'
import { errorCode } from '../../../host/live/system-error.ts'

const openAsync = promisify(open)
const fsyncAsync = promisify(fsync)
const closeAsync = promisify(close)

// As many as the pool of threads that carries them out; the file system joins what is flushed at the same time.
const AT_ONCE = 4

/** Writes a tree of files and directories to the disk, so that it survives a power failure. */
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
    // Its own mode keeps the owner from reading it; there is no other way to flush it then.
    if (errorCode(error) === 'EACCES') return
    throw error
  }
  try {
    await fsyncAsync(fd)
  } finally {
    await closeAsync(fd)
  }
}
