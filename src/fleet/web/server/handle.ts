import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Resident } from '../../resident.ts'
import type { Visitor } from '../answer.ts'
import { loginPage, noticePage } from '../pages/login.ts'
import { type Answer, answerTo, healthOf, html, isForPrograms, json, type Known, type Question } from '../routes.ts'
import type { Admission, Entrance } from './entrance.ts'
import type { Events } from './events.ts'
import { ASSETS, bodyOf, type Exchange, redirect, send, sendAsset } from './respond.ts'

/** Dependencies of the handler. */
export interface Served {
  readonly resident: Resident
  readonly events: Events
  /** Authentication; undefined if every client that can connect has access. */
  readonly entrance: Entrance | undefined
  readonly isLoopback: boolean
}

export type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** Creates the request handler: authentication precedes any lookup. */
export function createHandler(served: Served): Handle {
  const { resident, entrance, isLoopback } = served
  const known = (): Known => ({ assets: ASSETS, view: resident.view(), heard: resident.heard() })

  return (request, response) => {
    const exchange = { request, response }
    const refused = whyRefused(request, { isLoopback, hasAccounts: entrance !== undefined })
    if (refused !== undefined) return send(exchange, refused)
    const { pathname: path, searchParams: params } = new URL(request.url ?? '/', 'http://view')
    if (sendAsset(exchange, path)) return
    if (path === '/healthz') return send(exchange, healthOf(known()))
    if (entrance === undefined) return answer(exchange, { path, params, visitor: {} }, { served, known: known() })
    if (request.method === 'POST') return void takeForm(exchange, path, entrance)
    const admission = entrance.whoIs(request)
    if (admission.kind !== 'admitted') return send(exchange, notAdmitted({ path, params, visitor: {} }, admission))
    if (admission.account.role === 'api' && !isForPrograms({ path })) return send(exchange, ONLY_DOCUMENTS)
    if (path === '/login') return send(exchange, redirect('/'))
    const visitor: Visitor = { name: admission.account.name }
    answer(exchange, { path, params, visitor }, { served, known: known() })
  }
}

const ONLY_DOCUMENTS: Answer = {
  status: 403,
  type: 'text',
  body: 'this token is for /api/v1 and /metrics only\n',
}

function answer(
  exchange: Exchange,
  question: Question,
  { served, known }: { readonly served: Served; readonly known: Known },
): void {
  if (question.path !== '/events') return send(exchange, answerTo(question, known))
  if (served.events.add(exchange)) return
  send(exchange, { status: 503, type: 'text', body: 'too many open event streams\n' })
}

/** Response without a login: a form, or an API error. */
function notAdmitted(question: Question, admission: Exclude<Admission, { readonly kind: 'admitted' }>): Answer {
  const { path } = question
  if (admission.kind === 'wait') {
    const headers = { 'retry-after': String(admission.seconds) }
    const message = 'Too many invalid tokens from this address: wait a minute'
    return {
      ...(isForPrograms(question) ? json(429, { error: message }) : renderBarePage(noticePage(429, message), question)),
      headers,
    }
  }
  if (!isForPrograms(question)) return path === '/login' ? renderBarePage(loginPage(), question) : redirect('/login')
  const headers = { 'www-authenticate': 'Bearer realm="driftgate fleet"' }
  return { ...json(401, { error: 'authentication required: Authorization: Bearer TOKEN' }), headers }
}

/** A page for an unauthenticated client. */
function renderBarePage(page: ReturnType<typeof loginPage>, question: Question): Answer {
  return html(page, question, { assets: ASSETS, view: undefined })
}

async function takeForm(exchange: Exchange, path: string, entrance: Entrance): Promise<void> {
  const { request } = exchange
  const question = { path, params: new URLSearchParams(), visitor: {} }
  if (path === '/logout') return send(exchange, redirect('/login', { 'set-cookie': entrance.end(request) }))
  const body = await bodyOf(request)
  if (body === undefined) return send(exchange, { status: 413, type: 'text', body: 'request too large\n' })
  const admission = entrance.withToken(new URLSearchParams(body).get('token')?.trim() ?? '', request)
  if (admission.kind === 'admitted') {
    if (admission.account.role === 'api') return send(exchange, ONLY_DOCUMENTS)
    return send(exchange, redirect('/', { 'set-cookie': entrance.begin(admission.account) }))
  }
  if (admission.kind === 'wait') return send(exchange, notAdmitted(question, admission))
  send(exchange, renderBarePage(loginPage('Unknown token.'), question))
}

/** Conditions checked before any lookup. */
interface Rules {
  /** True if only this machine can connect: another host name then means DNS rebinding. */
  readonly isLoopback: boolean
  /** True if users can log in. */
  readonly hasAccounts: boolean
}

const LONGEST_ADDRESS = 4_096
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']
const FORMS = ['/login', '/logout']

/** Refusal of a request; undefined if it is allowed. */
function whyRefused(request: IncomingMessage, { isLoopback, hasAccounts }: Rules): Answer | undefined {
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
