import { createPrivateKey } from 'node:crypto'

/** Private keys of OpenSSL, OpenSSH and PGP, of PuTTY and age. */
const TEXTS = [
  /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/,
  /^PuTTY-User-Key-File-\d/m,
  /\bAGE-SECRET-KEY-1[A-Z0-9]{20,}/,
]

const DER_SEQUENCE = 0x30

/** The beginning of a PKCS #12 store within its sequence: version 3, and another sequence. */
const STORE = Buffer.from([0x02, 0x01, 0x03, DER_SEQUENCE])
const LONGEST_DER_HEAD = 6

/** A private key in DER is a small ASN.1 sequence. */
const LARGEST_DER_BYTES = 16 * 1024

/** Whether a file with these bytes contains a private key, or is a store of keys. */
export function isPrivateKey(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = buffer.toString('latin1')
  return TEXTS.some((pattern) => pattern.test(text)) || isStore(buffer) || isPrivateDer(bytes)
}

function isStore(bytes: Buffer): boolean {
  const at = bytes.subarray(0, LONGEST_DER_HEAD + STORE.length).indexOf(STORE)
  return bytes[0] === DER_SEQUENCE && at > 1
}

function isPrivateDer(bytes: Uint8Array): boolean {
  if (bytes[0] !== DER_SEQUENCE || bytes.length > LARGEST_DER_BYTES) return false
  return (['pkcs8', 'pkcs1', 'sec1'] as const).some((type) => {
    try {
      createPrivateKey({ key: Buffer.from(bytes), format: 'der', type })
      return true
    } catch {
      return false
    }
  })
}
