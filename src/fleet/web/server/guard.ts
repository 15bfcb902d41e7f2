import type { IncomingMessage } from 'node:http'
import type { Answer } from '../routes.ts'

/** Conditions checked before any lookup. */
export interface Rules {
  /** True if only this machine can connect: another host name then means DNS rebinding. */
  readonly isLoopback: boolean
  /** True if users can log in. */
  readonly hasAccounts: boolean
}

const LONGEST_ADDRESS = 4_096
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']
const FORMS = ['/login', '/logout']

/** Refusal of a request; undefined if it is allowed. */
export function whyRefused(request: IncomingMessage, { isLoopback, hasAccounts }: Rules): Answer | undefined {
  const { method = '', url = '', headers } = request
  if (url.length > LONGEST_ADDRESS) return refusalAnswer(414, 'the address is too long')
  if (!url.startsWith('/') || !URL.canParse(url, 'http://view')) return refusalAnswer(400, 'invalid address')
  if (isLoopback && !LOOPBACK_NAMES.includes(nameOf(headers.host))) {
    return refusalAnswer(421, 'this view is for this host only: use localhost or 127.0.0.1')
  }
  if (method === 'GET' || method === 'HEAD') return undefined
  const isForm = hasAccounts && FORMS.includes(url)
  if (method !== 'POST' || !isForm)
    return { ...refusalAnswer(405, 'only GET and HEAD are supported'), headers: { allow: 'GET, HEAD' } }
  return isOwn(headers) ? undefined : refusalAnswer(403, 'cross-origin form rejected')
}

/** Name in a `Host` header, without the port. */
function nameOf(host = ''): string {
  return host.toLowerCase().replace(/:\d*$/, '')
}

/** True if a form comes from our own page, as far as the browser tells. */
function isOwn(headers: IncomingMessage['headers']): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  const { origin, host } = headers
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host?.toLowerCase())
}

function refusalAnswer(status: number, reason: string): Answer {
  return { status, type: 'text', body: `${reason}\n` }
}
