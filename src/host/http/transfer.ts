import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { errorCode } from '../live/system-error.ts'
import type { Credentials } from './credentials.ts'
import { get, statusError } from './get.ts'
import { HttpError, showUrl } from './http-error.ts'
import { type DownloadProgress, progressReporter } from './progress.ts'
import type { Environment } from './proxy.ts'
import type { Receiver } from './receiver.ts'

/** Detects a stalled transfer. */
interface Watchdog {
  /** Aborted when too few bytes arrived in one period. */
  readonly signal: AbortSignal
  /** Reports received bytes. */
  readonly arrived: (bytes: number) => void
  /** Bytes received in the current period. */
  readonly bytes: () => number
  readonly stop: () => void
}

const DEFAULT_PERIOD_MS = 60_000

/** About one kilobyte per second, the rate of the slowest modem. */
const LEAST_BYTES = 64 * 1024

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000

const TRANSIENT: ReadonlySet<string> = new Set([
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'ERR_STREAM_PREMATURE_CLOSE',
])

const UNTRUSTED: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

export interface Transfer {
  readonly url: URL
  readonly credentials: Credentials
  readonly maxBytes: number
  /** Maximum number of attempts, including the first. */
  readonly tries: number
  readonly signal: AbortSignal
}

/** Options of a transfer; tests override the defaults. */
export interface TransferOptions {
  readonly environment?: Environment
  /** At least 64 KiB must arrive in each period, in milliseconds, or the connection is dropped. */
  readonly periodMs?: number
  /** Waits before the next attempt. */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>
  readonly onProgress?: (progress: DownloadProgress) => void
}

/**
 * Writes the content of a URL to a receiver. Retries connection errors, server errors and broken connections with
 * increasing pauses; received bytes are kept if the server can prove that the file is unchanged. Throws an `HttpError`
 * for any network failure.
 */
export async function transfer(what: Transfer, receiver: Receiver, options: TransferOptions = {}): Promise<void> {
  const { pause = (milliseconds, signal) => wait(milliseconds, undefined, { signal }) } = options
  const report = progressReporter(showUrl(what.url), options.onProgress)
  const course: Course = { what, receiver, options, report, validator: undefined, totalBytes: undefined }
  for (let tried = 1; ; tried++) {
    try {
      await attempt(course)
      report({ receivedBytes: receiver.receivedBytes(), totalBytes: receiver.receivedBytes(), isLast: true })
      return
    } catch (error) {
      if (!(error instanceof HttpError) || !error.isTransient || what.signal.aborted) throw error
      const { message, isTimeout } = error
      if (tried >= what.tries) throw tried === 1 ? error : new HttpError(`${message} (${tried} tries)`, { isTimeout })
    }
    const longest = Math.min(FIRST_PAUSE_MS * 2 ** (tried - 1), LONGEST_PAUSE_MS)
    // Jitter: machines that lost the same server must not all return at once.
    await pause(longest * (0.5 + Math.random() / 2), what.signal)
  }
}

interface Course {
  readonly what: Transfer
  readonly receiver: Receiver
  readonly options: TransferOptions
  readonly report: ReturnType<typeof progressReporter>
  validator: string | undefined
  totalBytes: number | undefined
}

async function attempt(course: Course): Promise<void> {
  const { what, options } = course
  const periodMs = options.periodMs ?? DEFAULT_PERIOD_MS
  const watchdog = startWatchdog(periodMs, LEAST_BYTES)
  const translate = (error: unknown): unknown => {
    if (what.signal.aborted || !watchdog.signal.aborted) return describeFailure(error)
    const bytes = watchdog.bytes()
    const arrived = bytes === 0 ? 'no data received for' : `only ${bytes} bytes received in`
    return new HttpError(`${arrived} ${periodMs / 1000} seconds`, { isTransient: true, isTimeout: true })
  }
  try {
    const response = await request(course, AbortSignal.any([what.signal, watchdog.signal])).catch((error: unknown) => {
      throw translate(error)
    })
    try {
      await receive(response, course, { watchdog, translate })
    } finally {
      response.destroy()
    }
  } finally {
    watchdog.stop()
  }
}

function request({ what, receiver, options, validator }: Course, signal: AbortSignal): Promise<IncomingMessage> {
  const position = receiver.receivedBytes()
  const resumes = position > 0 && validator !== undefined
  return get({
    url: what.url,
    credentials: what.credentials,
    headers: resumes ? { range: `bytes=${position}-`, 'if-range': validator } : {},
    environment: options.environment ?? process.env,
    signal,
  })
}

interface Watch {
  readonly watchdog: Watchdog
  readonly translate: (error: unknown) => unknown
}

async function receive(response: IncomingMessage, course: Course, { watchdog, translate }: Watch): Promise<void> {
  const { what, receiver, report } = course
  settleStart(response, course)
  refuseTooLarge(course.totalBytes ?? 0, what.maxBytes)
  for await (const chunk of bodyOf(response, translate)) {
    watchdog.arrived(chunk.length)
    refuseTooLarge(receiver.receivedBytes() + chunk.length, what.maxBytes)
    await receiver.write(chunk)
    report({ receivedBytes: receiver.receivedBytes(), totalBytes: course.totalBytes, isLast: false })
  }
  if (!response.complete) throw new HttpError('the connection was closed early', { isTransient: true })
}

/** Continues after the bytes of the last attempt if the response is the rest of the same file, otherwise restarts. */
function settleStart({ statusCode = 0, headers }: IncomingMessage, course: Course): void {
  const { receiver } = course
  const resumed = course.validator !== undefined && receiver.receivedBytes() > 0
  if (statusCode === 206 && resumed) {
    const range = parseContentRange(headers['content-range'])
    if (range?.start === receiver.receivedBytes()) return
    startAgain(course)
    throw new HttpError('the server sent another range than requested', { isTransient: true })
  }
  if (statusCode === 416 && resumed) {
    startAgain(course)
    throw new HttpError('the file changed during the download', { isTransient: true })
  }
  if (statusCode !== 200) throw statusError(statusCode)
  startAgain(course)
  course.validator = resumeValidator(headers)
  const length = headers['content-length']
  course.totalBytes = length === undefined ? undefined : Number(length)
}

function startAgain(course: Course): void {
  course.receiver.restart()
  course.validator = undefined
  course.totalBytes = undefined
}

function refuseTooLarge(bytes: number, maxBytes: number): void {
  if (bytes > maxBytes) throw new HttpError(`it is larger than ${maxBytes} bytes; raise max_size if this is expected`)
}

async function* bodyOf(
  response: IncomingMessage,
  translate: (error: unknown) => unknown,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* response as AsyncIterable<Buffer>
  } catch (error) {
    throw translate(error)
  }
}

/** Converts a network error to an `HttpError` that says whether it is transient. Other errors are returned unchanged. */
function describeFailure(error: unknown): unknown {
  const code = errorCode(error)
  if (error instanceof HttpError || !(error instanceof Error) || code === undefined || code === 'ABORT_ERR')
    return error
  const advice = UNTRUSTED.has(code)
    ? '; if it was issued by your own CA, add that CA to the trusted CAs of the system, or name it in NODE_EXTRA_CA_CERTS'
    : ''
  return new HttpError(`${error.message}${advice}`, { isTransient: TRANSIENT.has(code) })
}

/**
 * The validator to resume an interrupted download: a strong entity tag, or a modification date that is certainly
 * strong. Undefined if the download must restart.
 * @see RFC 9110, sections 8.8.2.2, 8.8.3 and 13.1.5
 */
export function resumeValidator(headers: IncomingHttpHeaders): string | undefined {
  if (headers['accept-ranges'] === 'none') return undefined
  const { etag, date, 'last-modified': lastModified } = headers
  if (etag !== undefined) return etag.startsWith('"') ? etag : undefined
  if (lastModified === undefined || date === undefined) return undefined
  // A file modified within the second of the response may change again and keep its date.
  return Date.parse(date) - Date.parse(lastModified) >= 1000 ? lastModified : undefined
}

/** Start and total size of a partial response; undefined if unusable. */
export function parseContentRange(
  value: string | undefined,
): { readonly start: number; readonly totalBytes: number | undefined } | undefined {
  const [, start, total] = /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15}|\*)$/.exec(value ?? '') ?? []
  if (start === undefined || total === undefined) return undefined
  return { start: Number(start), totalBytes: total === '*' ? undefined : Number(total) }
}

/**
 * Starts a watchdog; the caller must call `stop`. A new period of `periodMs` starts whenever `leastBytes` have arrived,
 * so that a byte now and then does not keep a download alive.
 */
function startWatchdog(periodMs: number, leastBytes: number): Watchdog {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), periodMs)
  let bytes = 0
  return {
    signal: controller.signal,
    arrived(count) {
      bytes += count
      if (bytes < leastBytes) return
      bytes = 0
      timer.refresh()
    },
    bytes: () => bytes,
    stop: () => clearTimeout(timer),
  }
}
