import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Assets } from '../frame.ts'
import type { Answer } from '../routes.ts'
import { SCRIPT } from '../script.ts'
import { STYLE } from '../style.ts'

/** A request with its response. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** Timeout for sending a response: slow readers must not hold connections. */
const LONGEST_ANSWER_MS = 30_000

/** Forms are far smaller. */
const LARGEST_BODY_BYTES = 4_096

const TYPES: Readonly<Record<Answer['type'], string>> = {
  html: 'text/html; charset=utf-8',
  json: 'application/json; charset=utf-8',
  metrics: 'text/plain; version=0.0.4; charset=utf-8',
  text: 'text/plain; charset=utf-8',
}

/** Security headers of every response: only our own style sheet and script load, and pages cannot be framed. */
export const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

/** File names contain a content hash, so browsers may cache them forever. */
export const ASSETS: Assets = { style: assetName('style', STYLE, 'css'), script: assetName('script', SCRIPT, 'js') }

const FILES: ReadonlyMap<string, readonly [type: string, content: string]> = new Map([
  [ASSETS.style, ['text/css; charset=utf-8', STYLE]],
  [ASSETS.script, ['text/javascript; charset=utf-8', SCRIPT]],
])

function assetName(name: string, content: string, extension: string): string {
  return `/${name}.${createHash('sha256').update(content).digest('hex').slice(0, 16)}.${extension}`
}

/** Sends a response, without the body for HEAD. */
export function send(exchange: Exchange, { status, type, body, headers = {} }: Answer): void {
  write(exchange, { status, body, headers: { 'content-type': TYPES[type], ...headers } })
}

/** Sends the style sheet or the script; false for other paths. */
export function sendAsset(exchange: Exchange, path: string): boolean {
  const file = FILES.get(path)
  if (file === undefined) return false
  const headers = { 'content-type': file[0], 'cache-control': 'public, max-age=31536000, immutable' }
  write(exchange, { status: 200, body: file[1], headers })
  return true
}

interface Written {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

function write({ request, response }: Exchange, { status, body, headers }: Written): void {
  const bytes = Buffer.from(body)
  const deadline = setTimeout(() => response.destroy(), LONGEST_ANSWER_MS)
  response.once('close', () => clearTimeout(deadline))
  response.writeHead(status, { ...HEADERS, ...headers, 'content-length': bytes.length })
  response.end(request.method === 'HEAD' ? undefined : bytes)
}

/** Redirects to another page. */
export function redirect(to: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status: 303, type: 'text', body: '', headers: { location: to, ...headers } }
}

/** Body of a request; undefined if it is too large or incomplete. */
export async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of request) {
      const bytes = Buffer.from(chunk)
      length += bytes.length
      if (length > LARGEST_BODY_BYTES) return undefined
      chunks.push(bytes)
    }
  } catch {
    return undefined // The client has disconnected.
  }
  return Buffer.concat(chunks).toString('utf8')
}
