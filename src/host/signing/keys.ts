import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { closeSync, fstatSync } from 'node:fs'
import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { openRegularFile, readDescriptor } from '../live/read-whole.ts'

/** An Ed25519 key with its id: `sha256:` and the digest of the public key as DER (SPKI), in hex. */
export interface Key {
  readonly id: string
  readonly key: KeyObject
  /** Alternative public keys, accepted during a key rotation. */
  readonly others?: readonly KeyObject[]
}

const LARGEST_KEY_BYTES = 64 * 1024

/**
 * A new private Ed25519 key. It is imported from its encoding, because a generated key object shares a lock with its
 * job in Node 20: if the garbage collector removes the job during an export as JWK, both wait forever.
 */
export function makeKey(): KeyObject {
  const privateKeyEncoding = { type: 'pkcs8', format: 'der' } as const
  const publicKeyEncoding = { type: 'spki', format: 'der' } as const
  const { privateKey } = generateKeyPairSync('ed25519', { privateKeyEncoding, publicKeyEncoding })
  return createPrivateKey({ key: privateKey, ...privateKeyEncoding })
}

/** A new key pair as PEM: PKCS #8 and SubjectPublicKeyInfo, as read by openssl. */
export function makeKeys(): { readonly id: string; readonly privatePem: string; readonly publicPem: string } {
  const privateKey = makeKey()
  const publicKey = createPublicKey(privateKey)
  return {
    id: idOf(publicKey),
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  }
}

/** Reads a private key from a file that only its owner may read. Throws an `OperatorError` otherwise. */
export function readPrivateKey(path: string): Key {
  const { pem, mode } = read(path)
  if ((mode & 0o077) !== 0) {
    const shown = (mode & 0o7777).toString(8).padStart(4, '0')
    throw new OperatorError(`cannot sign with ${path}: with mode ${shown} other users can read it; run chmod 0600`)
  }
  const key = parseKey(path, () => createPrivateKey(pem))
  return { id: idOf(createPublicKey(key)), key }
}

/** Reads a public key; if the file has a private key, its public half. Throws an `OperatorError` if invalid. */
export function readPublicKey(path: string): Key {
  return publicKeyOf(path, read(path).pem)
}

const PEM_BLOCK = /-----BEGIN [^-]+-----[^]*?-----END [^-]+-----/g

/** Parses public keys in PEM. The first of several has the id. Throws an `OperatorError` if invalid. */
export function publicKeyOf(path: string, pem: string | Buffer): Key {
  const [first = String(pem), ...more] = String(pem).match(PEM_BLOCK) ?? []
  const key = parseKey(path, () => createPublicKey(first))
  if (more.length === 0) return { id: idOf(key), key }
  return { id: idOf(key), key, others: more.map((each) => parseKey(path, () => createPublicKey(each))) }
}

/** A key with its id. */
export function namedKey(key: KeyObject): Key {
  return { id: idOf(key.type === 'public' ? key : createPublicKey(key)), key }
}

function read(path: string): { readonly pem: Buffer; readonly mode: number } {
  let descriptor: number | undefined
  try {
    descriptor = openRegularFile(path)
    return { pem: readDescriptor(descriptor, LARGEST_KEY_BYTES), mode: fstatSync(descriptor).mode }
  } catch (error) {
    throw new OperatorError(`cannot read the key ${path}: ${systemReason(error)}`, { cause: error })
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function parseKey(path: string, parse: () => KeyObject): KeyObject {
  let key: KeyObject | undefined
  try {
    key = parse()
  } catch {
    // OpenSSL's message does not describe the file.
  }
  if (key?.asymmetricKeyType === 'ed25519') return key
  throw new OperatorError(`${path} does not contain an Ed25519 key in PEM; create a pair with "driftgate evidence key"`)
}

function idOf(publicKey: KeyObject): string {
  const der = publicKey.export({ type: 'spki', format: 'der' })
  return `sha256:${createHash('sha256').update(der).digest('hex')}`
}
