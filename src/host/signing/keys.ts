import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { closeSync, fstatSync } from 'node:fs'
import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { openRegularFile, readDescriptor } from '../live/read-whole.ts'

/** A key of Ed25519, and what it is called: `sha256:` and the digest of its public half as DER (SPKI), in hex. */
export interface Key {
  readonly id: string
  readonly key: KeyObject
  /** Further public keys that count as this one, while one takes the place of another. */
  readonly others?: readonly KeyObject[]
}

const LARGEST_KEY_BYTES = 64 * 1024

/**
 * A new private key of Ed25519. It is read from its bytes, for what Node 20 generates shares a lock with the job that has
 * generated it: if the garbage collector removes the job while the key is exported as JWK, both wait forever.
 */
export function makeKey(): KeyObject {
  const privateKeyEncoding = { type: 'pkcs8', format: 'der' } as const
  const publicKeyEncoding = { type: 'spki', format: 'der' } as const
  const { privateKey } = generateKeyPairSync('ed25519', { privateKeyEncoding, publicKeyEncoding })
  return createPrivateKey({ key: privateKey, ...privateKeyEncoding })
}

/** A new pair of keys as PEM: PKCS #8, and SubjectPublicKeyInfo, which openssl reads. */
export function makeKeys(): { readonly id: string; readonly privatePem: string; readonly publicPem: string } {
  const privateKey = makeKey()
  const publicKey = createPublicKey(privateKey)
  return {
    id: idOf(publicKey),
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  }
}

/** The key in a file that only its owner may read. Throws an `OperatorError` for any other. */
export function readPrivateKey(path: string): Key {
  const { pem, mode } = read(path)
  if ((mode & 0o077) !== 0) {
    const shown = (mode & 0o7777).toString(8).padStart(4, '0')
    throw new OperatorError(`cannot sign with ${path}: its mode is ${shown}, so others may read it; run chmod 0600`)
  }
  const key = parsed(path, () => createPrivateKey(pem))
  return { id: idOf(createPublicKey(key)), key }
}

/** The public key in a file; the public half where it holds a private one. Throws an `OperatorError` for any other. */
export function readPublicKey(path: string): Key {
  return publicKeyOf(path, read(path).pem)
}

const PEM_BLOCK = /-----BEGIN [^-]+-----[^]*?-----END [^-]+-----/g

/** The same of what was read from there. Of several keys the first has the name. */
export function publicKeyOf(path: string, pem: string | Buffer): Key {
  const [first = String(pem), ...more] = String(pem).match(PEM_BLOCK) ?? []
  const key = parsed(path, () => createPublicKey(first))
  if (more.length === 0) return { id: idOf(key), key }
  return { id: idOf(key), key, others: more.map((each) => parsed(path, () => createPublicKey(each))) }
}

/** A key with what it is called. */
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

function parsed(path: string, parse: () => KeyObject): KeyObject {
  let key: KeyObject | undefined
  try {
    key = parse()
  } catch {
    // OpenSSL's words say nothing about the file.
  }
  if (key?.asymmetricKeyType === 'ed25519') return key
  throw new OperatorError(`${path} holds no key of Ed25519 as PEM; "driftgate evidence key" makes a pair`)
}

function idOf(publicKey: KeyObject): string {
  const der = publicKey.export({ type: 'spki', format: 'der' })
  return `sha256:${createHash('sha256').update(der).digest('hex')}`
}
