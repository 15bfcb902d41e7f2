import { readFileSync } from 'node:fs'
import { createSecureContext, type SecureContext } from 'node:tls'
import { errorCode, provesAbsence } from '../live/system-error.ts'
import { HttpError } from './http-error.ts'
import type { Environment } from './proxy.ts'

/** The bundles of trusted CA certificates of distributions. */
const SYSTEM_STORES = [
  '/etc/ssl/certs/ca-certificates.crt', // Debian, Ubuntu, Arch, Alpine
  '/etc/pki/tls/certs/ca-bundle.crt', // Fedora, Red Hat
  '/etc/ssl/ca-bundle.pem', // SUSE
  '/etc/ssl/cert.pem', // Alpine, BSDs
]

const contexts = new Map<string, SecureContext>()

/**
 * The trust store of TLS connections: the CA certificates of the system plus those of NODE_EXTRA_CA_CERTS.
 * SSL_CERT_FILE replaces the store of the system, as in Go and OpenSSL. Undefined if the machine has no store: Node's
 * own list then applies. Throws an `HttpError` if a store exists or is configured and cannot be read.
 */
export function trustedAuthorities(environment: Environment): SecureContext | undefined {
  const named = environment['SSL_CERT_FILE'] ?? ''
  const extra = environment['NODE_EXTRA_CA_CERTS'] ?? ''
  const key = `${named}\0${extra}`
  const known = contexts.get(key)
  if (known !== undefined) return known
  const stores = readAuthorities(environment)
  if (stores === undefined) return undefined
  const context = createContext([...stores])
  contexts.set(key, context)
  return context
}

/** The CA certificates of that store in PEM. */
export function readAuthorities(environment: Environment): readonly string[] | undefined {
  const named = environment['SSL_CERT_FILE'] ?? ''
  const extra = environment['NODE_EXTRA_CA_CERTS'] ?? ''
  const store = named === '' ? readFirst(SYSTEM_STORES) : readStore(named)
  if (store === undefined) return undefined
  return extra === '' ? [store] : [store, readStore(extra)]
}

function readFirst(paths: readonly string[]): string | undefined {
  for (const path of paths) {
    try {
      return readFileSync(path, 'utf8')
    } catch (error) {
      if (!provesAbsence(error)) throw unreadableFileError(path, error)
    }
  }
  return undefined
}

function readStore(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw unreadableFileError(path, error)
  }
}

function createContext(ca: string[]): SecureContext {
  try {
    return createSecureContext({ ca })
  } catch (error) {
    throw new HttpError(`cannot use the CA certificates of the system: ${String(error)}`)
  }
}

function unreadableFileError(path: string, error: unknown): HttpError {
  return new HttpError(`cannot read the CA certificates in ${path}: ${errorCode(error) ?? String(error)}`)
}
