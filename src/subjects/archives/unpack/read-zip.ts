import { isUtf8 } from 'node:buffer'
import { constants } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { Entry, ZipFile } from 'yauzl'
import { errorCode } from '../../../host/live/system-error.ts'
import { ArchiveError, refuseEntry } from '../../../host/archive/archive-error.ts'
import type { ReadInput } from './read-tar.ts'
import type { FileSink } from './stage.ts'

// Systems with modes in their archives. @see APPNOTE.TXT 4.4.2, "version made by"
const UNIX_SYSTEMS: ReadonlySet<number> = new Set([3, 19])

// @see APPNOTE.TXT 4.4.4, bit 11, and 4.6.9
const UTF8_FLAG = 0x800
const UNICODE_PATH = 0x7075

// @see symlink(7)
const LONGEST_TARGET_BYTES = 4095

/**
 * Reads a zip archive by its central directory and stages every entry. Throws an `ArchiveError` for refused or damaged entries:
 * encrypted entries, unknown compression, wrong sizes or checksums, names that differ from the local header, and types other than
 * files, directories and links.
 */
export async function readZip({ fd, stage, meter, signal }: ReadInput): Promise<void> {
  // Only the default export of a CommonJS module is available in every environment, including bundles.
  const { default: yauzl } = await import('yauzl')
  const zip = await translateErrors(() => yauzl.fromFdPromise(fd, { lazyEntries: true, autoClose: false }))
  for await (const entry of entriesOf(zip)) {
    signal.throwIfAborted()
    await checkLocalName(zip, entry)
    const read = async (take: (chunk: Buffer) => void): Promise<void> => {
      for await (const chunk of contentOf(zip, entry)) {
        signal.throwIfAborted()
        meter.countBytes(chunk.length)
        take(chunk)
      }
    }
    const name = nameOf(entry)
    const { kind, permissions } = describe(entry)
    if (kind === 'directory') {
      stage.directory(name, permissions)
    } else if (kind === 'symlink') {
      stage.symlink(name, await readTarget(entry, read))
    } else {
      const sink = stage.file(name, { mode: permissions, modifiedMs: entry.getLastModDate().getTime() })
      await fill(sink, read)
    }
  }
}

type Read = (take: (chunk: Buffer) => void) => Promise<void>

async function fill(sink: FileSink, read: Read): Promise<void> {
  await read(sink.write)
  sink.end()
}

async function readTarget({ fileName, uncompressedSize }: Entry, read: Read): Promise<string> {
  if (uncompressedSize > LONGEST_TARGET_BYTES) throw refuseEntry(fileName, 'is a link with a target that is too long')
  const chunks: Buffer[] = []
  await read((chunk) => chunks.push(chunk))
  return Buffer.concat(chunks).toString('utf8')
}

/** Unix programs write UTF-8 names without the UTF-8 flag; the format's default is code page 437. */
function nameOf({ fileName, fileNameRaw, versionMadeBy, generalPurposeBitFlag, extraFields }: Entry): string {
  const isDeclared = (generalPurposeBitFlag & UTF8_FLAG) !== 0 || extraFields.some(({ id }) => id === UNICODE_PATH)
  const isBare = UNIX_SYSTEMS.has(versionMadeBy >>> 8) && !isDeclared
  return isBare && isUtf8(fileNameRaw) ? fileNameRaw.toString('utf8') : fileName
}

interface Description {
  readonly kind: 'file' | 'directory' | 'symlink'
  readonly permissions: number
}

function describe({ fileName, versionMadeBy, externalFileAttributes }: Entry): Description {
  const isUnix = UNIX_SYSTEMS.has(versionMadeBy >>> 8)
  const mode = isUnix ? externalFileAttributes >>> 16 : 0
  const asDirectory = { kind: 'directory', permissions: mode === 0 ? 0o755 : mode } as const
  if (fileName.endsWith('/')) return asDirectory
  switch (mode & constants.S_IFMT) {
    case 0:
    case constants.S_IFREG:
      return { kind: 'file', permissions: mode === 0 ? 0o644 : mode }
    case constants.S_IFDIR:
      return asDirectory
    case constants.S_IFLNK:
      return { kind: 'symlink', permissions: mode }
    default:
      throw refuseEntry(fileName, 'is not a file, directory or link')
  }
}

/** If the names differ, other programs may see other files in the archive. */
async function checkLocalName(zip: ZipFile, entry: Entry): Promise<void> {
  const { fileName } = await translateErrors(() => zip.readLocalFileHeaderPromise(entry))
  if (!fileName.equals(entry.fileNameRaw)) throw refuseEntry(entry.fileName, 'has another name in its local header')
}

async function* contentOf(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer, void, undefined> {
  const stream = await translateErrors(() => zip.openReadStreamPromise(entry))
  let checksum = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      checksum = crc32(chunk, checksum)
      yield chunk
    }
  } catch (error) {
    throw translate(error)
  } finally {
    stream.destroy()
  }
  if (checksum !== entry.crc32) throw refuseEntry(entry.fileName, 'is damaged: checksum mismatch')
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry, void, undefined> {
  try {
    yield* zip.eachEntry()
  } catch (error) {
    throw translate(error)
  }
}

async function translateErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw translate(error)
  }
}

/** Errors of the zip reader are archive errors, except system errors. */
function translate(error: unknown): unknown {
  const code = errorCode(error)
  if (!(error instanceof Error) || (code !== undefined && !code.startsWith('Z_'))) return error
  return new ArchiveError(`damaged zip archive: ${error.message}`)
}
