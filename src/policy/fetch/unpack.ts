import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { defined } from '../../model/defined.ts'
import { isKeyAddress, isObjectAddress, parseNatsAddress } from '../../host/nats/address.ts'
import type { Nats } from '../../host/nats/nats.ts'
import { archiveFormat, type ArchiveFormat } from '../../host/archive/archive-format.ts'
import { extractFailure, unpackInto } from '../../subjects/archives/unpack/extract-archive.ts'
import { showUrl } from '../../host/http/http-error.ts'
import { NO_JOURNAL } from '../../host/live/journal.ts'
import { openDirectory } from '../../host/live/open-directory.ts'
import { onThisMachine } from '../../host/live/site.ts'
import { isAddress } from './remote.ts'
import type { TemporaryDirectories } from './temporary-directories.ts'

/** Maximum size of a downloaded archive and of its content. Both are stored with temporary files. */
const MAX_ARCHIVE_BYTES = 256 * 1024 ** 2
const MAX_UNPACKED_BYTES = 1024 ** 3

const TRIES = 3

/** Timeout of a whole download in milliseconds: the largest archive at half a megabyte per second. */
const TIMEOUT_MS = 10 * 60_000

export interface UnpackOptions {
  /** Expected sha256 of the archive, in hex. */
  readonly sha256?: string
  /** Aborting it ends download and unpacking. */
  readonly signal?: AbortSignal
  /** Timeout of the download in milliseconds; ten minutes by default. */
  readonly timeoutMs?: number
  /** The source of NATS objects; without it, none can be fetched. */
  readonly nats?: Nats
}

/**
 * The directory of an unpacked archive, or the problem, without its name and without credentials; `isTimeout` if it
 * took too long.
 */
export type Unpacked = { readonly directory: string } | { readonly message: string; readonly isTimeout?: boolean }

/**
 * Downloads an archive from an http or https URL, or takes a local one, and unpacks it below a new temporary directory.
 * The creator of `directories` removes it.
 */
export async function unpackArchive(
  source: string,
  directories: TemporaryDirectories,
  options: UnpackOptions = {},
): Promise<Unpacked> {
  if (isObjectAddress(source)) return unpackObject(source, directories, options)
  const format = formatOf(source)
  if (isKeyAddress(source)) return { message: `unsupported manifest source: ${source}: name obj://BUCKET/KEY` }
  if (format === undefined) return { message: 'it is not an archive: the name must end in .tar.gz, .tgz, .tar or .zip' }
  if (!isAddress(source)) return unpack(resolve(source), format, join(directories.create(), 'content'), options)
  const holder = directories.create()
  const archive = join(holder, 'archive')
  const { signal = new AbortController().signal, sha256, timeoutMs = TIMEOUT_MS } = options
  const { download } = await import('../../host/http/download.ts')
  const { uid, gid } = statSync(holder)
  const outcome = await download(
    {
      url: source,
      path: archive,
      attributes: { uid, gid, mode: 0o600 },
      headers: {},
      maxBytes: MAX_ARCHIVE_BYTES,
      tries: TRIES,
      timeoutMs,
      signal,
      ...defined({ sha256 }),
    },
    onThisMachine(NO_JOURNAL),
  )
  if (outcome.kind === 'failed') {
    const message = `cannot be downloaded: ${reasonIn(outcome.message, archive)}`
    return { message, isTimeout: outcome.isTimeout === true }
  }
  const unpacked = await unpack(archive, format, join(holder, 'content'), options)
  rmSync(archive)
  return unpacked
}

/** The format of an object follows from its name; the default is the one that CCM assumes. */
async function unpackObject(
  source: string,
  directories: TemporaryDirectories,
  options: UnpackOptions,
): Promise<Unpacked> {
  const { nats } = options
  const address = parseNatsAddress(source, 'object store manifest source')
  if ('message' in address) return address
  if (address.fragment !== '')
    return { message: `"${address.fragment}" is not supported here: --checksum pins a bundle` }
  if (nats === undefined) return { message: 'NATS objects are supported as policies only' }
  const fetched = await nats.object(address.bucket, address.key)
  if ('message' in fetched) return { message: `cannot be fetched: ${fetched.message}` }
  const holder = directories.create()
  const archive = join(holder, 'archive')
  writeFileSync(archive, fetched.value, { mode: 0o600 })
  const unpacked = await unpack(archive, archiveFormat(address.key) ?? 'tar.gz', join(holder, 'content'), options)
  rmSync(archive)
  return unpacked
}

/** The name of a source in messages: a URL without credentials and query, or a path. */
export function showSource(source: string): string {
  return isAddress(source) && URL.canParse(source) ? showUrl(new URL(source)) : source
}

function formatOf(source: string): ArchiveFormat | undefined {
  if (!isAddress(source)) return archiveFormat(source)
  return URL.canParse(source) ? archiveFormat(new URL(source).pathname) : undefined
}

async function unpack(
  archive: string,
  format: ArchiveFormat,
  directory: string,
  { sha256, signal }: UnpackOptions,
): Promise<Unpacked> {
  mkdirSync(directory, { mode: 0o700 })
  const opened = openDirectory(directory)
  if (opened.kind !== 'open') return { message: opened.message }
  const limits = { maxBytes: MAX_UNPACKED_BYTES }
  try {
    // Modes that would lock out the running user are not set, since the files are read and removed again.
    await unpackInto(archive, opened.directory, {
      format,
      limits,
      ...defined({ sha256, signal }),
    })
    return { directory }
  } catch (error) {
    const outcome = extractFailure(error, 'cannot be unpacked')
    return { message: outcome.kind === 'failed' ? outcome.message : 'cannot be unpacked' }
  } finally {
    opened.directory.close()
  }
}

/** The rest of a message after the temporary path, which does not help the user. */
function reasonIn(message: string, path: string): string {
  const [, reason = message] = message.split(`${path}: `)
  return reason
}
