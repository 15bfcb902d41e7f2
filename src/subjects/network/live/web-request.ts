import type { IncomingMessage } from 'node:http'
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { createSecureContext, type SecureContext } from 'node:tls'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw, type ZlibOptions } from 'node:zlib'
import { known, type Reading, unknown } from '../../../model/observation.ts'
import type { WebAnswer, WebRequest } from '../network.ts'
import { readAuthorities } from '../../../host/http/authorities.ts'
import { credentialHeaders } from '../../../host/http/credentials.ts'
import { HttpError, showUrl } from '../../../host/http/http-error.ts'
import { parseProxy } from '../../../host/http/proxy.ts'
import { isRedirect, redirectTo } from '../../../host/http/redirect.ts'
import { sendRequest } from '../../../host/http/send-request.ts'
import { readUrl, type WrittenUrl } from '../../../host/http/written-url.ts'
import { errorCode } from '../../../host/live/system-error.ts'

/** Like Go's client: the first request and nine redirects. */
const MAX_REQUESTS = 10

/** Sends a request, follows redirects, and reads the answer. */
export async function sendWebRequest(request: WebRequest): Promise<Reading<WebAnswer>> {
  const first = readUrl(request.url)
  if (typeof first === 'string') return unknown('invalid', `the url ${first}`)
  const { url } = first
  if (!isWeb(url)) return unknown('invalid', `${showUrl(url)} is neither http nor https`)
  const deadline = AbortSignal.timeout(request.timeoutMs)
  const signal = AbortSignal.any([request.signal, deadline])
  try {
    const response = await follow(first, { ...request, signal })
    const body = await readBody(response, request.maxBodyBytes)
    return known({ status: response.statusCode ?? 0, headers: headersOf(response, request), body })
  } catch (error) {
    if (request.signal.aborted) return unknown('not-observable', `${showUrl(url)}: the run was interrupted`)
    if (deadline.aborted) return unknown('timeout', `${showUrl(url)}: no answer within ${request.timeoutMs} ms`)
    if (!(error instanceof HttpError) && errorCode(error) === undefined) throw error
    return unknown('not-observable', `${showUrl(url)}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function isWeb({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:'
}

async function follow(first: WrittenUrl, request: WebRequest): Promise<IncomingMessage> {
  const { redirects, certificates, proxy, signal } = request
  const tls = { secureContext: contextOf(request), rejectUnauthorized: certificates === 'verify' }
  const shared = { environment: process.env, signal, tls, ...(proxy === undefined ? {} : { proxy: parseProxy(proxy) }) }
  const unpacking = unpacksGzip(request) ? { 'accept-encoding': 'gzip' } : {}
  let { method, body } = request
  let own = ownHeaders(first.url, request)
  let current = first
  for (let count = 0; count < MAX_REQUESTS; count++) {
    const { url, path, host } = current
    const headers = { 'user-agent': 'driftgate', host, ...unpacking, ...own }
    const response = await sendRequest({ ...shared, url, path, headers, method, body })
    const { statusCode = 0 } = response
    const { location = '' } = response.headers
    if (redirects === 'answer' || !isRedirect(statusCode) || location === '') return response
    response.destroy()
    // Node decodes the bytes of the header as latin1.
    const next = readUrl(Buffer.from(location, 'latin1').toString(), current)
    if (typeof next === 'string') throw new HttpError(`it redirects to a URL that ${next}`)
    if (!redirectTo(url, next.url).keepsCredentials) own = {}
    current = next
    // A redirect after a form submission is not a new submission. @see RFC 9110, section 15.4
    if (statusCode < 307 && method !== 'GET' && method !== 'HEAD') [method, body] = ['GET', '']
  }
  throw new HttpError(`more than ${MAX_REQUESTS - 1} redirects`)
}

/** Whether the client may request gzip transparently, like Go's client. */
function unpacksGzip({ headers, method }: WebRequest): boolean {
  return method !== 'HEAD' && !headers.some(([name]) => /^(?:accept-encoding|range)$/i.test(name))
}

/** Headers that the client sets itself. */
const NOT_SENT: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'trailer'])

/** Headers of the policy, with all values of each; for `Host` only the first. */
function ownHeaders(
  url: URL,
  { headers, username = '', password = '' }: WebRequest,
): Record<string, string | string[]> {
  const own: Record<string, string | string[]> = {}
  for (const [written, value] of headers) {
    const name = written.toLowerCase()
    // Node writes the lower byte of each character.
    const bytes = Buffer.from(value).toString('latin1')
    if (name === 'host') own[name] ??= bytes
    else if (!NOT_SENT.has(name)) own[name] = [own[name] ?? [], bytes].flat()
  }
  if (username === '' && password === '') return { ...credentialHeaders(url, { headers: {} }), ...own }
  return { ...own, authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
}

/** Trusted authorities and client certificate. */
function contextOf({ authoritiesFile, certificateFile, keyFile }: WebRequest): SecureContext | undefined {
  if (authoritiesFile === undefined && (certificateFile === undefined || keyFile === undefined)) return undefined
  const authorities = authoritiesFile === undefined ? readAuthorities(process.env) : [readPem(authoritiesFile)]
  const own =
    certificateFile === undefined || keyFile === undefined
      ? {}
      : { cert: readPem(certificateFile), key: readPem(keyFile) }
  try {
    return createSecureContext({ ...(authorities === undefined ? {} : { ca: [...authorities] }), ...own })
  } catch (error) {
    throw new HttpError(`cannot use the configured certificates: ${errorCode(error) ?? String(error)}`)
  }
}

function readPem(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new HttpError(`cannot read ${path}: ${errorCode(error) ?? String(error)}`)
  }
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Reading<Uint8Array>> {
  if (maxBytes === 0) {
    response.destroy()
    return known(new Uint8Array())
  }
  const tooLarge = unknown('not-observable', `the response body is larger than ${maxBytes} bytes`)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxBytes) return tooLarge
  }
  return size === 0 ? known(new Uint8Array()) : unpack(Buffer.concat(chunks), encodingsOf(response), maxBytes)
}

/** Encodings of the body, outermost first. */
function encodingsOf({ headers }: IncomingMessage): readonly string[] {
  const words = (headers['content-encoding'] ?? '').split(',').map((word) => word.trim().toLowerCase())
  return words.filter((word) => word !== '' && word !== 'identity').toReversed()
}

const DECODERS: Readonly<Record<string, (bytes: Uint8Array, options: ZlibOptions) => Promise<Uint8Array>>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  // Some servers omit the zlib header.
  deflate: async (bytes, options) => promisify((bytes[0] ?? 0) % 16 === 8 ? inflate : inflateRaw)(bytes, options),
  br: promisify(brotliDecompress),
}

async function unpack(
  packed: Uint8Array,
  encodings: readonly string[],
  maxOutputLength: number,
): Promise<Reading<Uint8Array>> {
  let bytes = packed
  for (const encoding of encodings) {
    const decode = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined
    if (decode === undefined) {
      return unknown('not-observable', `the response body is compressed with ${encoding}, which is not supported`)
    }
    try {
      bytes = await decode(bytes, { maxOutputLength })
    } catch (error) {
      const why = errorCode(error) === 'ERR_BUFFER_TOO_LARGE' ? `is larger than ${maxOutputLength} bytes` : 'is damaged'
      return unknown('not-observable', `the response body, decompressed from ${encoding}, ${why}`)
    }
  }
  return known(bytes)
}

/** Headers that Go's client removes after it has decompressed the body. */
const OF_GZIP: ReadonlySet<string> = new Set(['content-encoding', 'content-length'])

function headersOf(response: IncomingMessage, request: WebRequest): WebAnswer['headers'] {
  const { rawHeaders } = response
  const all = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : [],
  )
  const isUnpacked = unpacksGzip(request) && response.headers['content-encoding']?.toLowerCase() === 'gzip'
  return isUnpacked ? all.filter(([name]) => !OF_GZIP.has(name.toLowerCase())) : all
}
