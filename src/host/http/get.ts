import { type IncomingMessage, STATUS_CODES } from 'node:http'
import { credentialHeaders, type Credentials } from './credentials.ts'
import { HttpError } from './http-error.ts'
import type { Environment } from './proxy.ts'
import { followRedirect, isRedirect } from './redirect.ts'
import { sendRequest } from './send-request.ts'

const MAX_REDIRECTS = 10

const OWN_HEADERS = { 'user-agent': 'driftgate', accept: '*/*', 'accept-encoding': 'identity' } as const

export interface GetInput {
  readonly url: URL
  readonly credentials: Credentials
  /** Headers for every server, such as `range`. */
  readonly headers: Readonly<Record<string, string>>
  readonly environment: Environment
  readonly signal: AbortSignal
}

/**
 * Gets a URL and follows redirects. Credentials follow only as `followRedirect` allows, and once dropped stay dropped.
 * The caller must read or destroy the body of the response.
 */
export async function get({ url, credentials, headers, environment, signal }: GetInput): Promise<IncomingMessage> {
  let current = url
  let secret = credentialHeaders(url, credentials)
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const sent = { ...OWN_HEADERS, ...secret, ...headers }
    const response = await sendRequest({ url: current, headers: sent, environment, signal })
    if (!isRedirect(response.statusCode ?? 0)) return response
    response.destroy()
    const next = followRedirect(current, response.headers.location)
    current = next.url
    if (!next.keepsCredentials) secret = {}
  }
  throw new HttpError(`more than ${MAX_REDIRECTS} redirects`)
}

/** The error for an unexpected status. Server errors are transient. */
export function statusError(status: number): HttpError {
  const text = STATUS_CODES[status] ?? 'unknown status'
  return new HttpError(`HTTP request failed with status ${status}: ${text}`, { isTransient: status >= 500 })
}
