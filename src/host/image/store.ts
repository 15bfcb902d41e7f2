import { statSync } from 'node:fs'
import { ArchiveError } from '../archive/archive-error.ts'
import { createArchiveMeter } from '../archive/archive-limits.ts'
import { answeringPath } from '../live/hanging.ts'
import { openRootPlace, type RootedPlace } from '../root/root-place.ts'
import { provesAbsence, RefusedFile } from '../live/system-error.ts'
import { MAX_LINKS, walkFrom } from '../live/walk.ts'
import { compressionOf, decompressStream } from './compression.ts'
import { openHeldFile, type Span } from './held-file.ts'
import { IMAGE_LIMITS } from './limits.ts'
import { openSpool } from './spool.ts'
import { createTarReader, type TarEntry } from './tar-reader.ts'

export interface ImageStore {
  /** Undefined if absent. Throws an `ArchiveError` if it is not a file, or a dangling link. */
  readonly find: (name: string) => Span | undefined
}

/** Opens a directory or a tar archive. Throws the error of the system, or an `ArchiveError`. */
export async function openStore(path: string): Promise<ImageStore> {
  if (statSync(answeringPath(path)).isDirectory()) return { find: (name) => findBelow(path, name) }
  const whole = openHeldFile(path)
  return tarStore(await decompressSpan(whole))
}

/** The bytes, decompressed to a temporary file if necessary. */
async function decompressSpan(whole: Span): Promise<Span> {
  const compression = compressionOf(whole)
  if (compression === 'none') return whole
  const spool = openSpool()
  const meter = createArchiveMeter(IMAGE_LIMITS, whole.sizeBytes)
  async function* packed(): AsyncGenerator<Buffer, void, undefined> {
    for await (const piece of whole.file.pieces(0, whole.sizeBytes)) yield Buffer.from(piece)
  }
  for await (const piece of decompressStream(compression, packed())) {
    meter.countBytes(piece.length)
    spool.write(piece)
  }
  return { file: spool.file, at: 0, sizeBytes: spool.sizeBytes() }
}

/** Never opens a file outside of the directory. */
function findBelow(directory: string, name: string): Span | undefined {
  let place: RootedPlace | undefined
  try {
    const walked = walkFrom(
      () => openRootPlace(directory),
      name,
      ({ links }) => (links >= MAX_LINKS ? 'circle' : undefined),
    )
    if (walked.kind === 'stopped') throw new ArchiveError(`${JSON.stringify(name)} is a link loop`)
    place = walked.place
    if (!place.stats.isFile()) throw new ArchiveError(`${JSON.stringify(name)} is not a regular file`)
    return openHeldFile(place.handle)
  } catch (error) {
    if (provesAbsence(error)) return undefined
    if (error instanceof RefusedFile) throw new ArchiveError(`cannot read ${JSON.stringify(name)}: ${error.message}`)
    throw error
  } finally {
    place?.close()
  }
}

const MAX_FILES = 100_000
const MOST_LINKS = 8

/** Reads headers only: most of the gigabytes between them may not be needed. */
function tarStore({ file, at, sizeBytes }: Span): ImageStore {
  const files = new Map<string, Stored>()
  const storedAs = (entry: TarEntry, name: string): Stored | undefined => {
    if (entry.type === '0') return { file, at: at + entry.contentAt, sizeBytes: entry.sizeBytes }
    if (entry.type === '1') return { link: inStore(entry.link, '') }
    return entry.type === '2' ? { link: inStore(entry.link, name) } : undefined
  }
  const take = (entry: TarEntry): void => {
    const name = inStore(entry.name, '')
    if (entry.type === '5') return
    const stored = storedAs(entry, name)
    const known = files.get(name)
    // Builders repeat a layer for each image, or each position in an image, that has it.
    if (known !== undefined && stored !== undefined && !isSame(known, stored)) {
      throw new ArchiveError(`${JSON.stringify(name)} occurs twice with different content; save the image again`)
    }
    if (files.size >= MAX_FILES) throw new ArchiveError(`the image has more than ${MAX_FILES} files`)
    if (stored !== undefined) files.set(name, stored)
  }
  const reader = createTarReader(take)
  for (let position = 0; position < sizeBytes;) {
    const head = file.read(at + position, Math.min(HEAD_BYTES, sizeBytes - position))
    reader.write(head)
    position += head.length
    const ahead = Math.min(reader.ahead(), sizeBytes - position)
    if (ahead === 0) continue
    reader.pass(ahead)
    position += ahead
  }
  reader.end()
  return {
    find(name) {
      let found = files.get(inStore(name, ''))
      for (let links = 0; found !== undefined && 'link' in found; links++) {
        const target: string = found.link
        found = links < MOST_LINKS ? files.get(target) : undefined
        if (found === undefined)
          throw new ArchiveError(`${JSON.stringify(name)} is a link to a file that is not in the image`)
      }
      return found
    },
  }
}

/** The position of a file's bytes, or the name of another file with the content. */
type Stored = Span | { readonly link: string }

const COMPARED_BYTES = 1024 ** 2

function isSame(one: Stored, other: Stored): boolean {
  if ('link' in one || 'link' in other) return 'link' in one && 'link' in other && one.link === other.link
  if (one.sizeBytes !== other.sizeBytes) return false
  for (let at = 0; at < one.sizeBytes; at += COMPARED_BYTES) {
    const length = Math.min(COMPARED_BYTES, one.sizeBytes - at)
    if (!one.file.read(one.at + at, length).equals(other.file.read(other.at + at, length))) return false
  }
  return true
}

// Usually the headers.
const HEAD_BYTES = 4096

/** The path in the archive of a name, or of a link beside `from`; `..` stops at the root. */
function inStore(name: string, from: string): string {
  const names = name.startsWith('/') || from === '' ? [] : from.split('/').slice(0, -1)
  for (const each of name.split('/')) {
    if (each === '..') names.pop()
    else if (each !== '' && each !== '.') names.push(each)
  }
  return names.join('/')
}
