import { type KeyObject, sign, verify } from 'node:crypto'
import { sha256 } from '../../host/signing/digest.ts'
import { MESSAGE_KINDS, type MessageKind, messageSubject } from './names.ts'

/** What a host sends about one run. */
export interface Message {
  readonly kind: MessageKind
  readonly host: string
  readonly runId: string
  /** What the body is: `driftgate.report/v1`. */
  readonly schema: string
  /** When it was sent by the clock of the host, ISO 8601. */
  readonly sentAt: string
  /** The SHA-256 of the state of the run, in hex. */
  readonly sha256: string
  /** Where it stands among those of its host, as `linkText` writes it. */
  readonly link: string
  /** JSON, compressed by gzip. */
  readonly body: Uint8Array
}

/**
 * The names of the headers of a message. It has no id by which the server could leave out one that it has: ids are those of all hosts,
 * so a client that knows that of another host could have its message left out.
 */
export const HEADERS = {
  schema: 'Dg-Schema',
  run: 'Dg-Run',
  key: 'Dg-Key',
  sentAt: 'Dg-Sent',
  sha256: 'Dg-State',
  link: 'Dg-Link',
  signature: 'Dg-Sig',
} as const

/** The signature of a message by the key of its host, in base64. */
export function signatureOf(message: Message, key: KeyObject): string {
  return sign(null, signedText(message), key).toString('base64')
}

/** Whether the host with this public key has made the message. */
export function isSigned(message: Message, signature: string, key: KeyObject): boolean {
  return verify(null, signedText(message), key, Buffer.from(signature, 'base64'))
}

/** What the message behind it calls it: the SHA-256 of what is signed of it, in hex. */
export function digestOf(message: Message): string {
  return sha256(signedText(message))
}

/** Subject and run are part of it, so that a message that is kept is no message of another host, kind or run. */
function signedText({ kind, host, runId, schema, sentAt, sha256: state, link, body }: Message): Buffer {
  const about = [messageSubject(kind, host), schema, runId, sentAt, state, link, sha256(body)]
  return Buffer.from(`driftgate-message-v1\n${about.join('\n')}\n`)
}

/** What a subject says: whose message it is, and of which kind; undefined for another one. */
export function readSubject(subject: string): Pick<Message, 'kind' | 'host'> | undefined {
  const [, word, host] = /^dg\.v1\.([a-z]+)\.([^.]+)$/.exec(subject) ?? []
  const kind = word === 'large' ? 'full' : MESSAGE_KINDS.find((known) => known === word)
  return kind === undefined || host === undefined ? undefined : { kind, host }
}
