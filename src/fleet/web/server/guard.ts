import type { IncomingMessage } from 'node:http'
import type { Answer } from '../routes.ts'

/** What is refused before anything is looked up. */
export interface Rules {
  /** Whether only this machine can reach it: then a name of another one means a page that leads browsers here. */
  readonly isLoopback: boolean
  /** Whether people can log in. */
  readonly hasAccounts: boolean
}

const LONGEST_ADDRESS = 4_096
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']
const FORMS = ['/login', '/logout']

/** Why a request gets no answer to its question; undefined where it may have one. */
export function whyRefused(request: IncomingMessage, { isLoopback, hasAccounts }: Rules): Answer | undefined {
  const { method = '', url = '', headers } = request
  if (url.length > LONGEST_ADDRESS) return refused(414, 'that address is too long')
  if (!url.startsWith('/') || !URL.canParse(url, 'http://view')) return refused(400, 'that is no address')
  if (isLoopback && !LOOPBACK_NAMES.includes(nameOf(headers.host))) {
    return refused(421, 'this view is for this machine alone: ask for localhost or 127.0.0.1')
  }
  if (method === 'GET' || method === 'HEAD') return undefined
  const isForm = hasAccounts && FORMS.includes(url)
  if (method !== 'POST' || !isForm)
    return { ...refused(405, 'only GET and HEAD are answered'), headers: { allow: 'GET, HEAD' } }
  return isOwn(headers) ? undefined : refused(403, 'the form of another place was sent here')
}

/** The name in a `Host` header, without the port. */
function nameOf(host = ''): string {
  return host.toLowerCase().replace(/:\d*$/, '')
}

/** Whether a form comes from a page of ours, as far as the browser says. */
function isOwn(headers: IncomingMessage['headers']): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  const { origin, host } = headers
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host?.toLowerCase())
}

function refused(status: number, reason: string): Answer {
  return { status, type: 'text', body: `${reason}\n` }
}
