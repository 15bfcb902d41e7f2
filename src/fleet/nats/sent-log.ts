import { ifThere } from '../../host/if-there.ts'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../model/operator-error.ts'
import type { Line } from '../../host/nats/line.ts'
import { replaceFile } from '../../host/live/own-file.ts'
import { readWhole } from '../../host/live/read-whole.ts'
import { storeMessage } from './jetstream.ts'
import { readSubject } from './message.ts'

export interface SentMessage {
  readonly subject: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** In ISO 8601. */
  readonly sentAt: string
}

const FOLDER = 'sent'
const LARGEST_BYTES = 16 * 1024 * 1024

/** Retention of sent messages for a restored server, by age and number. */
const KEPT_MS = 35 * 86_400_000
const MOST_MESSAGES = 4000

/** Stores an acknowledged message, since a backup may be older. Throws the system's error. */
export function keepSent(state: string, { body, ...message }: SentMessage): void {
  const folder = join(state, FOLDER)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const names = namesIn(folder)
  const oldest = nameOf(new Date(Date.now() - KEPT_MS).toISOString(), 0)
  for (const [at, name] of names.entries())
    if (name < oldest || at < names.length - MOST_MESSAGES) rmSync(join(folder, name), { force: true })
  const same = names.filter((name) => name.startsWith(stampOf(message.sentAt))).length
  const text = JSON.stringify({ ...message, body: Buffer.from(body).toString('base64') })
  replaceFile(join(folder, nameOf(message.sentAt, same)), text, { mode: 0o600 })
}

/**
 * Resends the messages since a time unchanged, so that the chain stays intact. Returns their number. Throws an
 * `OperatorError` if the server rejects one.
 */
export async function sendAgain(
  line: Line,
  { name: host }: { readonly name: string },
  state: string,
  sinceMs: number,
): Promise<number> {
  const folder = join(state, FOLDER)
  const first = nameOf(new Date(sinceMs).toISOString(), 0)
  let count = 0
  for (const name of namesIn(folder).filter((each) => each >= first)) {
    const message = readSent(join(folder, name))
    if (message === undefined || readSubject(message.subject)?.host !== host) continue
    await storeMessage(line, message.subject, { body: message.body, headers: message.headers })
    count++
  }
  return count
}

/** Removes all messages: those signed with an earlier key are invalid. Throws the system's error. */
export function forgetSent(state: string): void {
  rmSync(join(state, FOLDER), { recursive: true, force: true })
}

function stampOf(iso: string): string {
  return iso.replaceAll(':', '')
}

function nameOf(iso: string, index: number): string {
  return `${stampOf(iso)}-${String(index).padStart(4, '0')}.json`
}

function namesIn(folder: string): readonly string[] {
  return (
    ifThere(() =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.json'))
        .toSorted(),
    ) ?? []
  )
}

/** Undefined for a damaged file; only its message is lost. */
function readSent(path: string): Omit<SentMessage, 'sentAt'> | undefined {
  try {
    const read: Partial<Record<keyof SentMessage, unknown>> | null = JSON.parse(
      readWhole(path, LARGEST_BYTES).toString('utf8'),
    )
    const { subject, headers, body } = read ?? {}
    if (typeof subject !== 'string' || typeof body !== 'string' || typeof headers !== 'object' || headers === null)
      return undefined
    const texts = Object.entries(headers).map(([name, value]) => [name, String(value)] as const)
    return { subject, headers: Object.fromEntries(texts), body: Buffer.from(body, 'base64') }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw new OperatorError(`cannot read ${path}`, { cause: error })
  }
}
