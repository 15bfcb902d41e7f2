import { type KeyObject, X509Certificate } from 'node:crypto'
import { known, type Reading, unknown, readEach } from '../../model/observation.ts'
import { derAt, derChildren, derObjectId, type DerValue } from './der.ts'

/** Compared fields of a certificate. */
export interface Certificate {
  /** In certificate order: `C=DE, O=Example, CN=www.example.org`. */
  readonly subject: string
  readonly issuer: string
  /** Host names and addresses in lower case; the common name of the subject is not included. */
  readonly names: readonly string[]
  readonly notBeforeMs: number
  readonly notAfterMs: number
  /** OpenSSL's name: `rsa`, `ec`, `ed25519`. */
  readonly keyType: string
  /** Size of the modulus or curve. */
  readonly keyBits: number
  /** OpenSSL's name, or the object identifier of an unknown algorithm. */
  readonly signature: string
  /** sha256 in hex. */
  readonly fingerprint: string
}

/** Certificate with the data to verify its chain. */
export interface ParsedCertificate {
  readonly x509: X509Certificate
  readonly certificate: Certificate
  readonly extensions: readonly Extension[]
}

export interface Extension {
  readonly id: string
  readonly isCritical: boolean
  readonly value: Uint8Array
}

const PEM = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]+-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g

/** Certificates of a file in order: PEM with any other text, or a single DER certificate. */
export function parseCertificates(bytes: Uint8Array, path: string): Reading<readonly ParsedCertificate[]> {
  const blocks = bytes[0] === 0x30 ? [bytes] : (Buffer.from(bytes).toString('latin1').match(PEM) ?? [])
  if (blocks.length === 0) return unknown('invalid', `${path} contains no PEM or DER certificate`)
  return readEach<Uint8Array | string, ParsedCertificate>(blocks, (block) => parseCertificate(block, path))
}

function parseCertificate(block: Uint8Array | string, path: string): Reading<ParsedCertificate> {
  try {
    const x509 = new X509Certificate(typeof block === 'string' ? block : Buffer.from(block))
    const structure = structureOf(x509.raw)
    if (structure === undefined)
      return unknown('invalid', `${path} contains a certificate with an unsupported structure`)
    const { signature, extensions } = structure
    const key = x509.publicKey
    return known({
      x509,
      extensions,
      certificate: {
        subject: oneLine(x509.subject),
        issuer: oneLine(x509.issuer),
        names: namesOf(extensions),
        notBeforeMs: Date.parse(x509.validFrom),
        notAfterMs: Date.parse(x509.validTo),
        keyType: `${key.asymmetricKeyType}`,
        keyBits: bitsOf(key),
        signature,
        fingerprint: x509.fingerprint256.replaceAll(':', '').toLowerCase(),
      },
    })
  } catch (error) {
    // The constructor throws for an invalid certificate, `publicKey` for an unsupported key.
    return unknown('invalid', `${path} contains an invalid certificate: ${String(error)}`)
  }
}

/** Undefined for a certificate with an empty subject. */
function oneLine(name: string | undefined): string {
  return (name ?? '').split('\n').join(', ')
}

const BITS_OF_TYPES: Readonly<Record<string, number>> = { ed25519: 256, ed448: 456, x25519: 253, x448: 448 }

/** The name of a curve contains its size; OpenSSL calls that of 256 bits prime256v1. */
function bitsOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): number {
  const [curve] = /\d{3}/.exec(details?.namedCurve ?? '') ?? []
  return details?.modulusLength ?? BITS_OF_TYPES[`${type}`] ?? Number(curve ?? 0)
}

/** Names by `openssl list -signature-algorithms` and X.509. @see RFC 8017, RFC 5758, RFC 8410 */
const SIGNATURES: Readonly<Record<string, string>> = {
  '1.2.840.113549.1.1.4': 'md5WithRSAEncryption',
  '1.2.840.113549.1.1.5': 'sha1WithRSAEncryption',
  '1.2.840.113549.1.1.10': 'rsassaPss',
  '1.2.840.113549.1.1.11': 'sha256WithRSAEncryption',
  '1.2.840.113549.1.1.12': 'sha384WithRSAEncryption',
  '1.2.840.113549.1.1.13': 'sha512WithRSAEncryption',
  '1.2.840.113549.1.1.14': 'sha224WithRSAEncryption',
  '1.2.840.10040.4.3': 'dsaWithSHA1',
  '2.16.840.1.101.3.4.3.2': 'dsa_with_SHA256',
  '1.2.840.10045.4.1': 'ecdsa-with-SHA1',
  '1.2.840.10045.4.3.2': 'ecdsa-with-SHA256',
  '1.2.840.10045.4.3.3': 'ecdsa-with-SHA384',
  '1.2.840.10045.4.3.4': 'ecdsa-with-SHA512',
  '1.3.101.112': 'ED25519',
  '1.3.101.113': 'ED448',
}

const EXTENSIONS_TAG = 0xa3
const BOOLEAN_TAG = 0x01

/** Fields that Node does not expose. @see RFC 5280, 4.1 */
function structureOf(
  raw: Uint8Array,
): (Pick<Certificate, 'signature'> & { extensions: readonly Extension[] }) | undefined {
  const whole = derAt(raw, 0, raw.length)
  const [body, algorithm] = (whole && derChildren(raw, whole)) ?? []
  const [id] = (algorithm && derChildren(raw, algorithm)) ?? []
  const parts = body && derChildren(raw, body)
  if (id === undefined || parts === undefined) return undefined
  const holder = parts.find(({ tag }) => tag === EXTENSIONS_TAG)
  const list = holder && derAt(raw, holder.start, holder.end)
  const extensions =
    list === undefined ? [] : (derChildren(raw, list) ?? []).flatMap((each) => extensionOf(raw, each) ?? [])
  const oid = derObjectId(raw, id)
  return { signature: SIGNATURES[oid] ?? oid, extensions }
}

function extensionOf(raw: Uint8Array, place: DerValue): Extension | undefined {
  const parts = derChildren(raw, place)
  const [id, last] = [parts?.[0], parts?.at(-1)]
  if (id === undefined || last === undefined) return undefined
  const flag = parts?.find(({ tag }) => tag === BOOLEAN_TAG)
  const isCritical = flag !== undefined && raw[flag.start] !== 0
  return { id: derObjectId(raw, id), isCritical, value: raw.subarray(last.start, last.end) }
}

const SUBJECT_NAMES = '2.5.29.17'
const [DNS_TAG, ADDRESS_TAG] = [0x82, 0x87]

function namesOf(extensions: readonly Extension[]): readonly string[] {
  const extension = extensions.find(({ id }) => id === SUBJECT_NAMES)
  if (extension === undefined) return []
  const { value } = extension
  const list = derAt(value, 0, value.length)
  const names = (list && derChildren(value, list)) ?? []
  return names.flatMap(({ tag, start, end }) => {
    if (tag === DNS_TAG) return [Buffer.from(value.subarray(start, end)).toString('latin1').toLowerCase()]
    return tag === ADDRESS_TAG ? [addressOf(value.subarray(start, end))] : []
  })
}

/** IPv6 addresses omit the longest run of zeros. @see RFC 5952 */
function addressOf(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, at) =>
    (((bytes[at * 2] ?? 0) << 8) | (bytes[at * 2 + 1] ?? 0)).toString(16),
  )
  const written = groups.join(':')
  const [longest] = [...written.matchAll(/(?:^|:)0(?::0)+(?=:|$)/g)].toSorted((a, b) => b[0].length - a[0].length)
  if (longest === undefined) return written
  const rest = written.slice(longest.index + longest[0].length)
  return `${written.slice(0, longest.index)}::${rest.replace(/^:/, '')}`
}
