import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/** Whom a certificate names, and who signs it. */
export interface Subject {
  readonly name: string
  /** Names of DNS, and addresses of IPv4. */
  readonly hosts?: readonly string[]
  readonly isAuthority: boolean
}

export interface Issued {
  readonly subject: Subject
  readonly key: KeyObject
  /** The certificate and its key as PEM. */
  readonly certificate: string
  readonly privateKey: string
}

const [BOOLEAN, INTEGER, BITS, OCTETS, OID, UTF8, UTC, SEQUENCE, SET] = [1, 2, 3, 4, 6, 12, 23, 0x30, 0x31] as const
/** OIDs, encoded: ecdsa-with-SHA256, commonName, and the extensions for a CA and for names of a host. */
const ECDSA = der(SEQUENCE, der(OID, Buffer.from('2a8648ce3d040302', 'hex')))
const COMMON_NAME = der(OID, Buffer.from('550403', 'hex'))
const BASIC_CONSTRAINTS = der(OID, Buffer.from('551d13', 'hex'))
const ALTERNATIVE_NAMES = der(OID, Buffer.from('551d11', 'hex'))
const TRUE = der(BOOLEAN, Buffer.from([0xff]))
const DAY_MS = 86_400_000

let serial = 0

/** Makes a certificate that is valid from yesterday until tomorrow; without an issuer it signs itself. @see RFC 5280, section 4.1 */
export function issueCertificate(subject: Subject, issuer?: Issued): Issued {
  const { privateKey: key, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  serial += 1
  const validity = [-DAY_MS, DAY_MS].map((distance) => der(UTC, utcTime(Date.now() + distance)))
  const body = der(
    SEQUENCE,
    der(0xa0, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.from([serial])),
    ECDSA,
    nameOf((issuer?.subject ?? subject).name),
    der(SEQUENCE, ...validity),
    nameOf(subject.name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(SEQUENCE, ...extensionsOf(subject))),
  )
  const signature = sign('sha256', body, issuer?.key ?? key)
  const certificate = der(SEQUENCE, body, ECDSA, der(BITS, Buffer.from([0]), signature)).toString('base64')
  return {
    subject,
    key,
    certificate: `-----BEGIN CERTIFICATE-----\n${certificate.replaceAll(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`,
    privateKey: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function extensionsOf({ isAuthority, hosts = [] }: Subject): readonly Buffer[] {
  const constraints = der(SEQUENCE, ...(isAuthority ? [TRUE] : []))
  const names = hosts.map((host) =>
    /^[\d.]+$/.test(host) ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host)),
  )
  return [
    der(SEQUENCE, BASIC_CONSTRAINTS, TRUE, der(OCTETS, constraints)),
    ...(names.length === 0 ? [] : [der(SEQUENCE, ALTERNATIVE_NAMES, der(OCTETS, der(SEQUENCE, ...names)))]),
  ]
}

function nameOf(name: string): Buffer {
  return der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8, Buffer.from(name)))))
}

function utcTime(time: number): Buffer {
  return Buffer.from(
    `${new Date(time)
      .toISOString()
      .replaceAll(/[-:T]|\..*/g, '')
      .slice(2)}Z`,
  )
}

/** One value of DER: its tag, its length, and what it holds. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...(length < 128 ? [length] : long)]), content])
}
