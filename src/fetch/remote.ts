import { archiveFormat } from '../target/archive-format.ts'
import { showUrl } from '../target/local/http/http-error.ts'

/** How long a server may take, in milliseconds. */
const TIMEOUT_MS = 60_000

const LARGEST_BODY_BYTES = 64 * 1024 * 1024

/**
 * The text an http or https address gives. A user name and password in the address are sent as basic authentication to
 * that host alone. Throws an `Error` whose message never holds them.
 */
export async function fetchText(address: string): Promise<string> {
  const url = new URL(address)
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    // Loaded only here: most scans ask no server.
    const { get } = await import('../target/local/http/get.ts')
    const response = await get({ url, credentials: { headers: {} }, headers: {}, environment: process.env, signal })
    const { statusCode = 0, statusMessage = '' } = response
    if (statusCode !== 200) {
      response.destroy()
      throw new Error(`the server answered ${statusCode} ${statusMessage}`.trim())
    }
    return await limitedText(response)
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    const reason = signal.aborted ? `no answer within ${TIMEOUT_MS / 1000} seconds` : cause
    throw new Error(`${showUrl(url)}: ${reason}`, { cause: error })
  }
}

/** Whether an operand is an address rather than a path. */
export function isAddress(source: string): boolean {
  return /^https?:\/\//i.test(source)
}

/** Whether an operand is a bundle of a policy: an archive by its name, or an address. */
export function isBundle(source: string): boolean {
  return isAddress(source) || archiveFormat(source) !== undefined
}

async function limitedText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > LARGEST_BODY_BYTES) throw new Error(`the answer is larger than ${LARGEST_BODY_BYTES} bytes`)
    chunks.push(chunk)
  }
  if (size === 0) throw new Error('the answer is empty')
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
}
