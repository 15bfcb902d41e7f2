import { toSafeJson } from '../../model/safe-json.ts'
import type { ResidentView } from '../resident.ts'
import { type PageRequest, isRefusal, type Page, type Refusal, type Visitor } from './answer.ts'
import { API_INDEX, DOCUMENTS } from './documents.ts'
import { type Assets, renderFrame } from './frame.ts'
import { fleetMetrics } from './metrics.ts'
import { auditPage } from './pages/audit.ts'
import { controlPage, controlsPage } from './pages/controls.ts'
import { fleetPage } from './pages/fleet.ts'
import { hostPage } from './pages/host.ts'
import { hostsPage } from './pages/hosts.ts'
import { noticePage, startingPage } from './pages/login.ts'
import { rolloutPage } from './pages/rollout.ts'
import { silencePage } from './pages/silence.ts'
import { trendsPage } from './pages/trends.ts'

/** HTTP response. */
export interface Answer {
  readonly status: number
  readonly type: 'html' | 'json' | 'metrics' | 'text'
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** HTTP request. */
export interface Question {
  readonly path: string
  readonly params: URLSearchParams
  readonly visitor: Visitor
}

/** Context of a response. */
export interface Known {
  readonly assets: Assets
  /** Undefined during the first read of the reports. */
  readonly view: ResidentView | undefined
  /** Number of runs read so far. */
  readonly heard: number
}

const PAGES: Readonly<Record<string, (asked: PageRequest) => Page | Refusal>> = {
  '/': fleetPage,
  '/hosts': hostsPage,
  '/host': hostPage,
  '/controls': controlsPage,
  '/control': controlPage,
  '/trends': trendsPage,
  '/silence': silencePage,
  '/rollout': rolloutPage,
  '/audit': auditPage,
}

/** Paths of the versioned API, whose documents only gain fields, and of its unversioned predecessor. */
const API_V1 = /^\/api\/v1\//
const API = '/api/'

/** Response to a request; depends only on the view. */
export function answerTo(question: Question, known: Known): Answer {
  const { path, params, visitor } = question
  const { view } = known
  if (path === '/api/v1') return json(200, API_INDEX)
  const makePage = lookUp(PAGES, path)
  const makeDocument = lookUp(DOCUMENTS, path.replace(API_V1, API))
  if (makePage === undefined && makeDocument === undefined && path !== '/metrics') return nothingAt(question, known)
  if (view === undefined) return startingAnswer(question, known)
  const asked = { view, path, params, visitor }
  if (makePage !== undefined) {
    const made = makePage(asked)
    return html(isRefusal(made) ? noticePage(made.status, sentence(made.message)) : made, question, known)
  }
  if (makeDocument === undefined) return { status: 200, type: 'metrics', body: fleetMetrics(view) }
  const made = makeDocument(asked)
  return isRefusal(made) ? json(made.status, { error: made.message }) : json(200, made)
}

function nothingAt(question: Question, known: Known): Answer {
  return isForPrograms(question)
    ? json(404, { error: 'no such document' })
    : html(noticePage(404, 'No such page'), question, known)
}

/** True for a path of the API rather than a page. */
export function isForPrograms({ path }: Pick<Question, 'path'>): boolean {
  return path === '/api/v1' || path.startsWith('/api/') || path === '/metrics' || path === '/events'
}

/** Health of the service: the view answers and the reports are readable, whether or not the fleet is compliant. */
export function healthOf({ view }: Pick<Known, 'view'>): Answer {
  if (view === undefined) return { status: 503, type: 'text', body: 'the reports are being read\n' }
  const isWell = view.troubles.length === 0
  return {
    status: isWell ? 200 : 503,
    type: 'text',
    body: isWell ? 'ok\n' : view.troubles.map((each) => `${each}\n`).join(''),
  }
}

function lookUp<Value>(table: Readonly<Record<string, Value>>, path: string): Value | undefined {
  return Object.hasOwn(table, path) ? table[path] : undefined
}

function startingAnswer(question: Question, known: Known): Answer {
  const headers = { 'retry-after': '2', refresh: '1' }
  if (isForPrograms(question)) {
    return { ...json(503, { error: 'the reports are being read' }), headers }
  }
  return { ...html(startingPage(known.heard), question, known), headers }
}

export function html(
  page: Page,
  { path, params, visitor }: Question,
  { assets, view }: Pick<Known, 'assets' | 'view'>,
): Answer {
  const frame = view === undefined ? { assets, path, params, visitor } : { assets, path, params, visitor, view }
  return { status: page.status ?? 200, type: 'html', body: renderFrame(page, frame) }
}

export function json(status: number, value: object): Answer {
  return { status, type: 'json', body: `${toSafeJson(value)}\n` }
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
