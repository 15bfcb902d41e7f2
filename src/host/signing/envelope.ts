import { sign, verify } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Key } from './keys.ts'

/** A DSSE envelope; `payload` and `sig` are base64. */
export interface Envelope {
  readonly payloadType: string
  readonly payload: string
  readonly signatures: readonly [Signature, ...Signature[]]
}

/** The signature of one key. */
export interface Signature {
  readonly keyid: string
  readonly sig: string
}

/**
 * The bytes to sign, which include the type, so that a signature of another type cannot be reused.
 * @see DSSE 1.0, "PAE": `"DSSEv1" SP LEN(type) SP type SP LEN(body) SP body`, lengths in bytes
 */
export function preAuthEncoding(type: string, payload: Uint8Array): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `
  return Buffer.concat([Buffer.from(head), payload])
}

/** Signs a payload of a type. The key must be private. */
export function sealEnvelope(payloadType: string, payload: Uint8Array, key: Key): Envelope {
  const signatures = [signatureOf(payloadType, payload, key)] as const
  return { payloadType, payload: Buffer.from(payload).toString('base64'), signatures }
}

/** The envelope with an additional signature. The key must be private. */
export function signedToo(envelope: Envelope, key: Key): Envelope {
  const { payloadType, payload, signatures } = envelope
  const one = signatureOf(payloadType, Buffer.from(payload, 'base64'), key)
  return { ...envelope, signatures: [...signatures, one] }
}

function signatureOf(payloadType: string, payload: Uint8Array, { id, key }: Key): Signature {
  return { keyid: id, sig: sign(null, preAuthEncoding(payloadType, payload), key).toString('base64') }
}

/**
 * Validates an envelope from JSON; returns the problem if its shape is wrong. Other members and more than `most`
 * signatures are rejected.
 */
export function envelopeOf(type: string, value: unknown, most = 1): Envelope | { readonly message: string } {
  const wrong = (message: string): { readonly message: string } => ({ message: `the envelope ${message}` })
  if (!hasExactly(value, ['payload', 'payloadType', 'signatures'])) return wrong('is not a DSSE envelope')
  const { payloadType, payload, signatures } = value
  if (payloadType !== type) return wrong(`has another type than ${type}`)
  if (bytesOf(payload) === undefined) return wrong('has a payload that is not base64')
  const read = Array.isArray(signatures) ? (signatures as unknown[]).map(signatureIn) : []
  const [first, ...others] = read.filter((each) => each !== undefined)
  if (first === undefined || others.length + 1 < read.length || read.length > most)
    return wrong(most === 1 ? 'must have one signature' : `must have from 1 to ${most} signatures`)
  return { payloadType: type, payload: String(payload), signatures: [first, ...others] }
}

function signatureIn(value: unknown): Signature | undefined {
  if (!hasExactly(value, ['keyid', 'sig'])) return undefined
  const { keyid, sig } = value
  return typeof keyid === 'string' && bytesOf(sig) !== undefined ? { keyid, sig: String(sig) } : undefined
}

/** Whether the key, or one of its alternatives, has signed the envelope. */
export function isSignedBy({ payloadType, payload, signatures }: Envelope, { key, others = [] }: Key): boolean {
  const signed = preAuthEncoding(payloadType, Buffer.from(payload, 'base64'))
  return [key, ...others].some((each) =>
    signatures.some(({ sig }) => verify(null, signed, each, Buffer.from(sig, 'base64'))),
  )
}

/** Decodes canonical base64; undefined if the text is not canonical. */
export function bytesOf(text: unknown): Buffer | undefined {
  if (typeof text !== 'string') return undefined
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

/** Whether a value from JSON is an object with exactly these keys, given sorted. */
export function hasExactly<Name extends string>(
  value: unknown,
  names: readonly Name[],
): value is Readonly<Record<Name, unknown>> {
  return typeof value === 'object' && value !== null && isDeepStrictEqual(Object.keys(value).toSorted(), names)
}
