import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface CertificatePlan {
  /** The name of its file, `NAME.pem`. */
  readonly name: string
  readonly subject: string
  /** The name of the one that issues it; it issues itself where it is absent. */
  readonly issuer?: string
  readonly days?: number
  /** The key it is for, one of those that `makeKeys` has made; that of its own name where it is absent. */
  readonly key?: string
  readonly digest?: string
  readonly extensions?: readonly string[]
}

/** A usual key, as `openssl genpkey` takes it. */
export const EC: readonly string[] = ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256']

/** Makes keys with openssl in a directory, each in `NAME.key`. */
export function makeKeys(directory: string, keys: Readonly<Record<string, readonly string[]>>): void {
  for (const [name, args] of Object.entries(keys)) openssl('genpkey', ...args, '-out', join(directory, `${name}.key`))
}

/** Makes certificates with openssl in a directory, one after another. */
export function makeCertificates(directory: string, plans: readonly CertificatePlan[]): void {
  const at = (name: string): string => join(directory, name)
  const keys = new Map(plans.map(({ name, key = name }) => [name, key]))
  for (const [serial, plan] of plans.entries()) {
    const { name, subject, issuer = name, days = 100, key = name, digest = 'sha256', extensions = [] } = plan
    const sections = ['[req]', 'distinguished_name=dn', 'x509_extensions=ext', '[dn]', '[ext]', ...extensions]
    writeFileSync(at('openssl.cnf'), `${sections.join('\n')}\n`)
    const signer =
      issuer === name ? [] : ['-CA', at(`${issuer}.pem`), '-CAkey', at(`${keys.get(issuer) ?? issuer}.key`)]
    const how = [
      '-utf8',
      '-set_serial',
      String(serial + 1),
      '-days',
      String(days),
      `-${digest}`,
      '-config',
      at('openssl.cnf'),
    ]
    openssl(
      'req',
      '-x509',
      '-new',
      '-key',
      at(`${key}.key`),
      '-subj',
      subject,
      ...signer,
      ...how,
      '-out',
      at(`${name}.pem`),
    )
  }
}

function openssl(...args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' })
}

/** Extensions of one that may issue others, with so many between it and the last where it is said. */
export function authority(pathLength?: number): readonly string[] {
  const limit = pathLength === undefined ? '' : `,pathlen:${pathLength}`
  return [`basicConstraints=critical,CA:TRUE${limit}`, 'keyUsage=critical,keyCertSign,cRLSign']
}
