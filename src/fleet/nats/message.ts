import { type KeyObject, sign, verify } from 'node:crypto'
import { sha256 } from '../../host/signing/digest.ts'
import { MESSAGE_KINDS, type MessageKind, messageSubject } from './names.ts'

/** A message of a host about one run. */
export interface Message {
  readonly kind: MessageKind
  readonly host: string
  readonly runId: string
  /** Schema of the body: `driftgate.report/v1`. */
  readonly schema: string
  /** Time of sending by the clock of the host, ISO 8601. */
  readonly sentAt: string
  /** SHA-256 of the state of the run, in hex. */
  readonly sha256: string
  /** Link to the previous message of the host, as written by `linkText`. */
  readonly link: string
  /** Gzipped JSON. */
  readonly body: Uint8Array
}

/**
 * Message headers. There is no `Nats-Msg-Id` for deduplication: ids are shared by all hosts, so a client that knows the
 * id of another host's message could suppress it.
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

/** Signs a message with the key of its host, in base64. */
export function signatureOf(message: Message, key: KeyObject): string {
  return sign(null, signedText(message), key).toString('base64')
}

/** True if the message is signed with this public key. */
export function isSigned(message: Message, signature: string, key: KeyObject): boolean {
  return verify(null, signedText(message), key, Buffer.from(signature, 'base64'))
}

/** Digest by which the next message links to this one: SHA-256 of its signed content, in hex. */
export function digestOf(message: Message): string {
  return sha256(signedText(message))
}

/** Includes subject and run, so that a stored message cannot be replayed for another host, kind or run. */
function signedText({ kind, host, runId, schema, sentAt, sha256: state, link, body }: Message): Buffer {
  const about = [messageSubject(kind, host), schema, runId, sentAt, state, link, sha256(body)]
  return Buffer.from(`driftgate-message-v1\n${about.join('\n')}\n`)
}

/** Parses a subject; undefined for other subjects. */
export function readSubject(subject: string): Pick<Message, 'kind' | 'host'> | undefined {
  const [, word, host] = /^dg\.v1\.([a-z]+)\.([^.]+)$/.exec(subject) ?? []
  const kind = word === 'large' ? 'full' : MESSAGE_KINDS.find((known) => known === word)
  return kind === undefined || host === undefined ? undefined : { kind, host }
}
