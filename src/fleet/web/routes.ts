import { toSafeJson } from '../../model/safe-json.ts'
import type { ResidentView } from '../resident.ts'
import { type PageRequest, isRefusal, type Page, type Refusal, type Visitor } from './answer.ts'
import { API_INDEX, DOCUMENTS } from './documents.ts'
import { type Assets, framed } from './frame.ts'
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

/** What is sent. */
export interface Answer {
  readonly status: number
  readonly type: 'html' | 'json' | 'metrics' | 'text'
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** What a visitor asks for. */
export interface Question {
  readonly path: string
  readonly params: URLSearchParams
  readonly visitor: Visitor
}

/** What answers are made of beside the question. */
export interface Known {
  readonly assets: Assets
  /** Undefined while the reports are read for the first time. */
  readonly view: ResidentView | undefined
  /** How many runs have been read so far. */
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

/** What programs ask for: documents of a version that only gains fields, and the same by the path of before. */
const API_V1 = /^\/api\/v1\//
const API = '/api/'

/** The answer to a question about the fleet: same view, same answer. */
export function answerTo(question: Question, known: Known): Answer {
  const { path, params, visitor } = question
  const { view } = known
  if (path === '/api/v1') return json(200, API_INDEX)
  const makePage = lookUp(PAGES, path)
  const makeDocument = lookUp(DOCUMENTS, path.replace(API_V1, API))
  if (makePage === undefined && makeDocument === undefined && path !== '/metrics') return nothingAt(question, known)
  if (view === undefined) return starting(question, known)
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
    ? json(404, { error: 'there is no such document' })
    : html(noticePage(404, 'There is no such page'), question, known)
}

/** Whether a path is one that programs ask for, which want no page. */
export function isForPrograms({ path }: Pick<Question, 'path'>): boolean {
  return path === '/api/v1' || path.startsWith('/api/') || path === '/metrics' || path === '/events'
}

/** Whether everything is well: that the view answers and the reports can be read, not that the fleet is fine. */
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

function starting(question: Question, known: Known): Answer {
  const headers = { 'retry-after': '2', refresh: '1' }
  if (isForPrograms(question)) {
    return { ...json(503, { error: 'the reports are being read' }), headers }
  }
  return { ...html(startingPage(known.heard), question, known), headers }
}

/** A page in its frame. */
export function html(
  page: Page,
  { path, params, visitor }: Question,
  { assets, view }: Pick<Known, 'assets' | 'view'>,
): Answer {
  const frame = view === undefined ? { assets, path, params, visitor } : { assets, path, params, visitor, view }
  return { status: page.status ?? 200, type: 'html', body: framed(page, frame) }
}

/** A document for programs. */
export function json(status: number, value: object): Answer {
  return { status, type: 'json', body: `${toSafeJson(value)}\n` }
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
