import { dirname } from 'node:path'
import { defined } from '../../model/defined.ts'
import type { ApplyOutcome } from '../../model/decision.ts'
import type { DownloadRequest } from '../remediator.ts'
import { openDirectory } from '../live/open-directory.ts'
import type { Place } from '../live/place.ts'
import { ReplacementError } from '../live/replaced-file.ts'
import type { Site } from '../live/site.ts'
import { writeFailure } from '../live/system-error.ts'
import { HttpError, showUrl } from './http-error.ts'
import { openReceiver } from './receiver.ts'
import { transfer, type TransferOptions } from './transfer.ts'

/** The outcome of a download; `isTimeout` if it took too long. */
export type DownloadOutcome = ApplyOutcome & { readonly isTimeout?: boolean }

/**
 * Downloads a file to a path. It is written to a temporary file in the same directory, verified against the checksum,
 * and only then replaces the old file, whose ACL, extended attributes and capabilities are kept. A failure leaves the
 * old file unchanged and removes the temporary one. Messages never contain credentials.
 */
export async function download(
  request: DownloadRequest,
  site: Site,
  options: TransferOptions = {},
): Promise<DownloadOutcome> {
  // The error of the URL parser repeats the URL, including a password.
  if (!URL.canParse(request.url)) return { kind: 'failed', message: `cannot download ${request.path}: invalid url` }
  const url = new URL(request.url)
  const attempt = `cannot download ${showUrl(url)} to ${request.path}`
  const parent = openDirectory(dirname(request.path), site)
  if (parent.kind !== 'open') return { kind: 'failed', message: `${attempt}: ${parent.message}` }
  const deadline = AbortSignal.timeout(request.timeoutMs)
  try {
    const signal = AbortSignal.any([request.signal, deadline])
    await receiveInto(parent.directory, { request, url, journal: site.journal, options, signal })
    return { kind: 'done' }
  } catch (error) {
    if (request.signal.aborted) return { kind: 'failed', message: `${attempt}: interrupted` }
    if (deadline.aborted) {
      const message = `${attempt}: not finished within ${request.timeoutMs / 1000} seconds`
      return { kind: 'failed', message, isTimeout: true }
    }
    if (error instanceof HttpError) {
      return { kind: 'failed', message: `${attempt}: ${error.message}`, isTimeout: error.isTimeout }
    }
    if (error instanceof ReplacementError) return { kind: 'failed', message: `${attempt}: ${error.message}` }
    return writeFailure(error, attempt)
  } finally {
    parent.directory.close()
  }
}

interface Reception extends Pick<Site, 'journal'> {
  readonly request: DownloadRequest
  readonly url: URL
  readonly options: TransferOptions
  readonly signal: AbortSignal
}

async function receiveInto(directory: Place, { request, url, journal, options, signal }: Reception): Promise<void> {
  const { path, attributes, headers, username, password, maxBytes, tries } = request
  const receiver = await openReceiver({ directory, path }, attributes, journal)
  try {
    const credentials = {
      headers,
      ...defined({ username, password }),
    }
    await transfer({ url, credentials, maxBytes, tries, signal }, receiver, options)
    verify(receiver.sha256(), request.sha256)
    await receiver.commit()
  } finally {
    await receiver.end()
  }
}

function verify(found: string, wanted: string | undefined): void {
  if (wanted === undefined || found === wanted.toLowerCase()) return
  throw new HttpError(`checksum mismatch, expected "${wanted.toLowerCase()}" got "${found}"`)
}
