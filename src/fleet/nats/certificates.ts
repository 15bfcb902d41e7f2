import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { OperatorError } from '../../model/operator-error.ts'
import { replaceFile } from '../../host/live/own-file.ts'

const AUTHORITY_DAYS = 3650
const SERVER_DAYS = 820

/** Paths of a private CA and of the server's certificate. */
export interface CertificatePaths {
  readonly authority: string
  readonly authorityKey: string
  readonly certificate: string
  readonly key: string
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

/**
 * Creates a CA and a server certificate for these names with openssl. `scratch` is a private directory. Throws an
 * `OperatorError` on failure.
 */
export function makeCertificates(names: readonly string[], paths: CertificatePaths, scratch: string): void {
  const { authority, authorityKey } = paths
  const ca = ['-addext', 'basicConstraints=critical,CA:TRUE', '-addext', 'keyUsage=critical,keyCertSign,cRLSign']
  openssl(
    ['req', '-x509', ...NEW_KEY, '-keyout', authorityKey, '-out', authority, '-days', String(AUTHORITY_DAYS)].concat([
      '-subj',
      '/CN=driftgate fleet',
      ...ca,
    ]),
  )
  certifyServer(names, paths, scratch)
}

/** Creates a server key and certificate for these names with an existing CA. Throws an `OperatorError` on failure. */
export function certifyServer(names: readonly string[], paths: CertificatePaths, scratch: string): void {
  const { authority, authorityKey, certificate, key } = paths
  const extensions = join(scratch, 'extensions')
  const request = join(scratch, 'request.pem')
  // Servers of a cluster are also clients of each other. The NATS client verifies "localhost" if given an IP address;
  // the CA signs only for these servers.
  const alternatives = names.flatMap((name) => (isIP(name) === 0 ? [`DNS:${name}`] : [`IP:${name}`, 'DNS:localhost']))
  const subject = `subjectAltName=${[...new Set(alternatives)].join(',')}`
  const uses = ['basicConstraints=critical,CA:FALSE', 'extendedKeyUsage=serverAuth,clientAuth', subject]
  replaceFile(extensions, uses.map((line) => `${line}\n`).join(''))
  openssl(['req', ...NEW_KEY, '-keyout', key, '-out', request, '-subj', '/CN=driftgate fleet server'])
  const serial = `0x${randomBytes(15).toString('hex')}`
  openssl(
    ['x509', '-req', '-in', request, '-CA', authority, '-CAkey', authorityKey, '-set_serial', serial].concat([
      '-days',
      String(SERVER_DAYS),
      '-extfile',
      extensions,
      '-out',
      certificate,
    ]),
  )
}

function openssl(words: readonly string[]): void {
  const { error, status, stderr } = spawnSync('openssl', words, { encoding: 'utf8' })
  if (error !== undefined) {
    throw new OperatorError(
      `cannot make certificates: openssl cannot be started (${error.message}); install it, or name a certificate of your own ` +
        'with --tls-cert, --tls-key and --tls-ca',
    )
  }
  if (status !== 0)
    throw new OperatorError(`cannot make certificates: openssl ${words[0]}: ${stderr.trim().split('\n')[0]}`)
}
