import { createHash } from 'node:crypto'
import { showUrl } from '../../host/http/http-error.ts'

/** Timeout of a server, in milliseconds. */
const TIMEOUT_MS = 60_000

const LARGEST_BODY_BYTES = 64 * 1024 * 1024

/**
 * Fetches text from an http or https URL. User name and password in the URL are sent as basic authentication to that
 * host only, and `#sha256=` with 64 hex digits pins the content. Throws an `Error` whose message never contains the
 * password.
 */
export async function fetchText(address: string): Promise<string> {
  const url = new URL(address)
  const check = checkOfPin(url.hash)
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    // Loaded on demand: most scans query no server.
    const { get } = await import('../../host/http/get.ts')
    const response = await get({ url, credentials: { headers: {} }, headers: {}, environment: process.env, signal })
    const { statusCode = 0, statusMessage = '' } = response
    if (statusCode !== 200) {
      response.destroy()
      throw new Error(`the server answered ${statusCode} ${statusMessage}`.trim())
    }
    return textOf(check(await limitedBytes(response)))
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    const reason = signal.aborted ? `timed out after ${TIMEOUT_MS / 1000} seconds` : cause
    throw new Error(`${showUrl(url)}: ${reason}`, { cause: error })
  }
}

/**
 * Makes a check that passes content with the sha256 in a URL fragment, or any content without a fragment, and otherwise
 * throws an `Error`. Throws immediately for an invalid fragment, since a misspelt one would pin nothing.
 */
export function checkOfPin(fragment: string): (bytes: Uint8Array) => Uint8Array {
  if (fragment === '') return (bytes) => bytes
  const sha256 = /^#sha256=([0-9a-f]{64})$/i.exec(fragment)?.[1]?.toLowerCase()
  if (sha256 === undefined) {
    throw new Error(`"${fragment}" is not a supported URL fragment: use #sha256= and 64 hex digits to pin the content`)
  }
  return (bytes) => {
    const found = createHash('sha256').update(bytes).digest('hex')
    if (found === sha256) return bytes
    throw new Error(`its content differs from the pinned digest: want sha256 ${sha256}, found ${found}`)
  }
}

/** Decodes fetched text. Throws an `Error` if it is empty, and if it is not UTF-8. */
export function textOf(bytes: Uint8Array): string {
  if (bytes.length === 0) throw new Error('the answer is empty')
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}

async function limitedBytes(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > LARGEST_BODY_BYTES) throw new Error(`the answer is larger than ${LARGEST_BODY_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
