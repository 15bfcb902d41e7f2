import { archiveFormat } from '../../target/archive-format.ts'

/** How long a server may take, in milliseconds. */
const TIMEOUT_MS = 60_000

const LARGEST_BODY_BYTES = 64 * 1024 * 1024

/**
 * The text an http or https address gives. A user name and password in the address are sent as basic authentication to
 * that host alone. Throws an `Error` whose message never holds them.
 */
export async function fetchText(address: string): Promise<string> {
  const url = new URL(address)
  const { username, password } = url
  url.username = ''
  url.password = ''
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const headers: Record<string, string> =
    username === '' && password === '' ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (response.status !== 200) throw new Error(`the server answered ${response.status} ${response.statusText}`.trim())
    return await limitedText(response)
  } catch (error) {
    throw new Error(`${url.href}: ${reasonOf(error)}`, { cause: error })
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

async function limitedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > LARGEST_BODY_BYTES) throw new Error(`the answer is larger than ${LARGEST_BODY_BYTES} bytes`)
    chunks.push(chunk)
  }
  if (size === 0) throw new Error('the answer is empty')
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
}

/** fetch hides what went wrong on the network in the cause of its error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1000} seconds`
  return error.cause instanceof Error ? error.cause.message : error.message
}
