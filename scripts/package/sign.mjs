import { sign } from 'node:crypto'

/** The Ed25519 signature of bytes with a private key in PEM, which `openssl pkeyutl -verify -rawin` checks. */
export function signatureOf(bytes, key) {
  return sign(null, bytes, key)
}
