import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { OperatorError, systemReason } from './errors.ts'

/** A file that is known to be writable, but not there yet. */
export interface ReportFile {
  readonly path: string
  /** Makes the text the content of the file, all at once. Throws an `OperatorError` if the disk does not take it. */
  readonly commit: (text: string) => void
  /** Leaves the path as it was. Harmless after `commit`. */
  readonly discard: () => void
}

/**
 * Prepares a file for a report, or for whatever `what` says: creates its folders and a temporary file beside it, so that a path that cannot be written is
 * known before the work starts. A device or pipe (`/dev/stderr`) is written to directly. Throws an `OperatorError`.
 */
export function openReportFile(path: string, what = 'report'): ReportFile {
  try {
    createFolders(dirname(path))
    const existing = statSync(path, { throwIfNoEntry: false })
    if (existing?.isDirectory() === true) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' })
    const cannot: Complain = (cause) => cannotWrite(path, what, cause)
    return existing === undefined || existing.isFile() ? replaceableFile(path, cannot) : stream(path, cannot)
  } catch (error) {
    throw cannotWrite(path, what, error)
  }
}

type Complain = (cause: unknown) => OperatorError

/** One after the other: Node's recursive mkdir never returns below a directory like /proc that refuses with ENOENT. */
function createFolders(folder: string): void {
  const missing: string[] = []
  for (let at = folder; !existsSync(at); at = dirname(at)) missing.unshift(at)
  for (const directory of missing) {
    try {
      mkdirSync(directory)
    } catch (error) {
      // Another scan may have been faster.
      if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) throw error
    }
  }
}

function replaceableFile(path: string, cannot: Complain): ReportFile {
  const temporary = join(dirname(path), `.driftgate-${randomBytes(4).toString('hex')}.tmp`)
  const descriptor = openSync(temporary, 'wx')
  let isPending = true
  const discard = (): void => {
    if (!isPending) return
    isPending = false
    process.removeListener('exit', discard)
    closeSync(descriptor)
    rmSync(temporary, { force: true })
  }
  process.on('exit', discard)
  return {
    path,
    commit(text) {
      try {
        writeFileSync(descriptor, text)
        fsyncSync(descriptor)
        renameSync(temporary, path)
      } catch (error) {
        throw cannot(error)
      } finally {
        discard()
      }
    },
    discard,
  }
}

function stream(path: string, cannot: Complain): ReportFile {
  const descriptor = openSync(path, 'w')
  let isOpen = true
  const discard = (): void => {
    if (isOpen) closeSync(descriptor)
    isOpen = false
  }
  return {
    path,
    commit(text) {
      try {
        writeFileSync(descriptor, text)
      } catch (error) {
        throw cannot(error)
      } finally {
        discard()
      }
    },
    discard,
  }
}

function cannotWrite(path: string, what: string, cause: unknown): OperatorError {
  return new OperatorError(`cannot write the ${what} ${path}: ${systemReason(cause)}`, { cause })
}
