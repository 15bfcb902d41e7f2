import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** First byte, which becomes the first base32 letter: `U` for a user key, `S` for a seed. */
const USER = 20 << 3
const SEED = 18 << 3

const KEY_BYTES = 32
const CHECKSUM_BYTES = 2

/**
 * Encodes the public half of an Ed25519 key as NATS does, `U…`. @see
 * https://docs.nats.io/using-nats/developer/connecting/nkey
 */
export function publicNkey(key: KeyObject): string {
  const { x = '' } = (key.type === 'public' ? key : createPublicKey(key)).export({ format: 'jwk' })
  return withChecksum(Buffer.concat([Buffer.of(USER), Buffer.from(x, 'base64url')]))
}

/** Encodes the private half as a NATS seed, `SU…`. */
export function seedOf(privateKey: KeyObject): string {
  const { d = '' } = privateKey.export({ format: 'jwk' })
  const prefix = Buffer.of(SEED | (USER >> 5), (USER & 31) << 3)
  return withChecksum(Buffer.concat([prefix, Buffer.from(d, 'base64url')]))
}

/** Decodes a public user key; undefined if invalid. */
export function keyOfNkey(text: string): KeyObject | undefined {
  const bytes = bytesOfBase32(text)
  if (bytes?.length !== 1 + KEY_BYTES + CHECKSUM_BYTES || bytes[0] !== USER) return undefined
  const body = bytes.subarray(0, -CHECKSUM_BYTES)
  if (withChecksum(body) !== text) return undefined
  const x = body.subarray(1).toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}

/** Decodes a user seed of `seedOf`; undefined if invalid. */
export function keyOfSeed(text: string): KeyObject | undefined {
  const bytes = bytesOfBase32(text)
  const body = bytes?.subarray(0, -CHECKSUM_BYTES)
  if (bytes?.length !== 2 + KEY_BYTES + CHECKSUM_BYTES || body === undefined || withChecksum(body) !== text)
    return undefined
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, body.subarray(2)]), format: 'der', type: 'pkcs8' })
  return seedOf(key) === text ? key : undefined
}

/** DER prefix of a private Ed25519 key. @see https://www.rfc-editor.org/rfc/rfc8410#section-7 */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Reads a private Ed25519 key in PEM; undefined if invalid. */
export function readPrivateKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem)
    return key.asymmetricKeyType === 'ed25519' ? key : undefined
  } catch {
    return undefined
  }
}

function withChecksum(bytes: Uint8Array): string {
  const checksum = crc16(bytes)
  return base32(Buffer.concat([bytes, Buffer.of(checksum & 0xff, checksum >> 8)]))
}

/** CRC-16/XMODEM. */
function crc16(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit += 1) crc = ((crc << 1) ^ ((crc & 0x8000) === 0 ? 0 : 0x1021)) & 0xffff
  }
  return crc
}

/** Without padding. @see https://www.rfc-editor.org/rfc/rfc4648#section-6 */
function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

function bytesOfBase32(text: string): Buffer | undefined {
  const fives = Array.from(text, (letter) => ALPHABET.indexOf(letter))
  if (fives.includes(-1)) return undefined
  const bits = fives.map((five) => five.toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
