import type { IncomingMessage } from 'node:http'
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { createSecureContext, type SecureContext } from 'node:tls'
import { known, type Reading, unknown } from '../../../core/observation.ts'
import type { WebAnswer, WebRequest } from '../../network.ts'
import { readAuthorities } from '../http/authorities.ts'
import { credentialHeaders } from '../http/credentials.ts'
import { HttpError, showUrl } from '../http/http-error.ts'
import { parseProxy } from '../http/proxy.ts'
import { followRedirect, isRedirect } from '../http/redirect.ts'
import { sendRequest } from '../http/send-request.ts'
import { errorCode } from '../system-error.ts'

/** As Go's client has it. */
const MAX_REDIRECTS = 10

const OWN_HEADERS = { 'user-agent': 'driftgate', accept: '*/*', 'accept-encoding': 'identity' } as const

/** Sends a request, follows where it is sent to, and reads the answer. */
export async function sendWebRequest(request: WebRequest): Promise<Reading<WebAnswer>> {
  if (!URL.canParse(request.url)) return unknown('invalid', 'the url is none')
  const url = new URL(request.url)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return unknown('invalid', `${showUrl(url)} is neither http nor https`)
  }
  const deadline = AbortSignal.timeout(request.timeoutMs)
  const signal = AbortSignal.any([request.signal, deadline])
  try {
    const response = await follow(url, { ...request, signal })
    const body = await readBody(response, request.maxBodyBytes)
    return known({ status: response.statusCode ?? 0, headers: headersOf(response), body })
  } catch (error) {
    if (request.signal.aborted) return unknown('not-observable', `${showUrl(url)}: the run was interrupted`)
    if (deadline.aborted) return unknown('timeout', `${showUrl(url)}: no answer within ${request.timeoutMs} ms`)
    if (!(error instanceof HttpError) && errorCode(error) === undefined) throw error
    return unknown('not-observable', `${showUrl(url)}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

async function follow(url: URL, request: WebRequest): Promise<IncomingMessage> {
  const { redirects, certificates, proxy, signal } = request
  const tls = { secureContext: contextOf(request), rejectUnauthorized: certificates === 'verify' }
  const shared = { environment: process.env, signal, tls, ...(proxy === undefined ? {} : { proxy: parseProxy(proxy) }) }
  let { method, body } = request
  let own = credentialsOf(url, request)
  let current = url
  for (let count = 0; count <= MAX_REDIRECTS; count++) {
    const response = await sendRequest({ ...shared, url: current, headers: { ...OWN_HEADERS, ...own }, method, body })
    const { statusCode = 0 } = response
    const { location } = response.headers
    if (redirects === 'answer' || !isRedirect(statusCode) || location === undefined) return response
    response.destroy()
    const next = followRedirect(current, location)
    current = next.url
    if (!next.keepsCredentials) own = {}
    // A form that was taken is not sent again to where its answer is. @see RFC 9110, section 15.4
    if (statusCode < 307 && method !== 'GET' && method !== 'HEAD') [method, body] = ['GET', '']
  }
  throw new HttpError(`it redirects more than ${MAX_REDIRECTS} times`)
}

function credentialsOf(url: URL, { headers, username = '', password = '' }: WebRequest): Record<string, string> {
  const own = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]))
  if (username === '' && password === '') return credentialHeaders(url, { headers: own })
  return { ...own, authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
}

/** Whom it trusts, and who we are. */
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
    throw new HttpError(`the certificates that are given for it cannot be used: ${errorCode(error) ?? String(error)}`)
  }
}

function readPem(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new HttpError(`${path} cannot be read: ${errorCode(error) ?? String(error)}`)
  }
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Reading<Uint8Array>> {
  if (maxBytes === 0) {
    response.destroy()
    return known(new Uint8Array())
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxBytes) return unknown('not-observable', `the body of the answer is larger than ${maxBytes} bytes`)
  }
  return known(Buffer.concat(chunks))
}

function headersOf({ rawHeaders }: IncomingMessage): readonly (readonly [name: string, value: string])[] {
  return rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : []))
}
