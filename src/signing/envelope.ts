import { sign, verify } from 'node:crypto'
import type { Key } from './keys.ts'

/** A signed payload as DSSE has it. Both texts of bytes are base64. */
export interface Envelope {
  readonly payloadType: string
  readonly payload: string
  readonly signatures: readonly [{ readonly keyid: string; readonly sig: string }]
}

/**
 * What is signed: the type is part of it, so that no signature of something else can be passed off as one of this.
 * @see DSSE 1.0, "PAE": `"DSSEv1" SP LEN(type) SP type SP LEN(body) SP body`, lengths in bytes
 */
export function preAuthEncoding(type: string, payload: Uint8Array): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `
  return Buffer.concat([Buffer.from(head), payload])
}

/** Signs a payload of a type. The key must be a private one. */
export function sealed(payloadType: string, payload: Uint8Array, { id, key }: Key): Envelope {
  const sig = sign(null, preAuthEncoding(payloadType, payload), key).toString('base64')
  return {
    payloadType,
    payload: Buffer.from(payload).toString('base64'),
    signatures: [{ keyid: id, sig }],
  }
}

/** The envelope of such a payload in a value from JSON, or what is wrong with its shape. Whatever it holds beyond that is refused. */
export function envelopeOf(type: string, value: unknown): Envelope | { readonly message: string } {
  const wrong = (message: string): { readonly message: string } => ({ message: `the envelope ${message}` })
  if (!hasExactly(value, ['payload', 'payloadType', 'signatures'])) return wrong('is none of DSSE')
  const { payloadType, payload, signatures } = value
  if (payloadType !== type) return wrong(`holds another type than ${type}`)
  if (bytesOf(payload) === undefined) return wrong('has a payload that is no base64')
  const [first] = Array.isArray(signatures) && signatures.length === 1 ? (signatures as unknown[]) : []
  if (!hasExactly(first, ['keyid', 'sig'])) return wrong('must have one signature')
  const { keyid, sig } = first
  if (typeof keyid !== 'string' || bytesOf(sig) === undefined) return wrong('has a signature that is no base64')
  return { payloadType: type, payload: String(payload), signatures: [{ keyid, sig: String(sig) }] }
}

/** Whether the key has signed the envelope. */
export function isSignedBy({ payloadType, payload, signatures: [{ sig }] }: Envelope, { key }: Key): boolean {
  const signature = Buffer.from(sig, 'base64')
  return verify(null, preAuthEncoding(payloadType, Buffer.from(payload, 'base64')), key, signature)
}

/** The bytes of a text of base64; undefined for another text, also for one that only another spelling of the same bytes is. */
export function bytesOf(text: unknown): Buffer | undefined {
  if (typeof text !== 'string') return undefined
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

/** Whether a value from JSON is a map with these keys, sorted, and no other. */
export function hasExactly<Name extends string>(
  value: unknown,
  names: readonly Name[],
): value is Readonly<Record<Name, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const keys = Object.keys(value).toSorted()
  return keys.length === names.length && keys.every((key, index) => key === names[index])
}
