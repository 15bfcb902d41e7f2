import { createHash, type KeyObject, sign, verify } from 'node:crypto'
import { MESSAGE_KINDS, type MessageKind, messageSubject } from './names.ts'

/** What a host sends about one run. */
export interface Message {
  readonly kind: MessageKind
  readonly host: string
  readonly runId: string
  /** The report, compressed by gzip. */
  readonly body: Uint8Array
}

/** The names of the headers of a message. */
export const HEADERS = { run: 'Dg-Run', signature: 'Dg-Sig', id: 'Nats-Msg-Id' } as const

/** The signature of a message by the key of its host, in base64. */
export function signatureOf(message: Message, key: KeyObject): string {
  return sign(null, signedText(message), key).toString('base64')
}

/** Whether the host with this public key has made the message. */
export function isSigned(message: Message, signature: string, key: KeyObject): boolean {
  return verify(null, signedText(message), key, Buffer.from(signature, 'base64'))
}

/** Subject and run are part of it, so that a message that is kept by somebody is none of another host, kind or run. */
function signedText({ kind, host, runId, body }: Message): Buffer {
  const digest = createHash('sha256').update(body).digest('hex')
  return Buffer.from(`driftgate-message-v1\n${messageSubject(kind, host)}\n${runId}\n${digest}\n`)
}

/** What a subject says: whose message it is, and of which kind; undefined for another one. */
export function readSubject(subject: string): Pick<Message, 'kind' | 'host'> | undefined {
  const [, word, host] = /^dg\.v1\.([a-z]+)\.([^.]+)$/.exec(subject) ?? []
  const kind = MESSAGE_KINDS.find((known) => known === word)
  return kind === undefined || host === undefined ? undefined : { kind, host }
}
