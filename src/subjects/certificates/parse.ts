import { type KeyObject, X509Certificate } from 'node:crypto'
import { known, type Reading, unknown } from '../../model/observation.ts'
import { derAt, derChildren, derObjectId, type DerValue } from './der.ts'

/** What is compared of a certificate. */
export interface Certificate {
  /** In the order in which they stand: `C=DE, O=Example, CN=www.example.org`. */
  readonly subject: string
  readonly issuer: string
  /** The names of hosts and the addresses that it is for, in small letters; the common name of its subject is not one. */
  readonly names: readonly string[]
  readonly notBeforeMs: number
  readonly notAfterMs: number
  /** As openssl calls it: `rsa`, `ec`, `ed25519`. */
  readonly keyType: string
  /** Of the modulus or the curve. */
  readonly keyBits: number
  /** As openssl calls it, or the number of an algorithm that is not known. */
  readonly signature: string
  /** sha256 in hex. */
  readonly fingerprint: string
}

/** A certificate with what is needed to follow its chain. */
export interface ParsedCertificate {
  readonly x509: X509Certificate
  readonly certificate: Certificate
  /** The objects of its extensions. */
  readonly extensions: readonly Extension[]
}

/** One extension. */
export interface Extension {
  readonly id: string
  readonly isCritical: boolean
  readonly value: Uint8Array
}

const PEM = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]+-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g

/** The certificates of a file in their order, in PEM with all else that stands there, or one in DER. */
export function parseCertificates(bytes: Uint8Array, path: string): Reading<readonly ParsedCertificate[]> {
  const blocks = bytes[0] === 0x30 ? [bytes] : (Buffer.from(bytes).toString('latin1').match(PEM) ?? [])
  if (blocks.length === 0) return unknown('invalid', `${path} holds no certificate, neither in PEM nor in DER`)
  const found: ParsedCertificate[] = []
  for (const block of blocks) {
    const parsed = parseCertificate(block, path)
    if (parsed.kind === 'unknown') return parsed
    found.push(parsed.value)
  }
  return known(found)
}

function parseCertificate(block: Uint8Array | string, path: string): Reading<ParsedCertificate> {
  try {
    const x509 = new X509Certificate(typeof block === 'string' ? block : Buffer.from(block))
    const structure = structureOf(x509.raw)
    if (structure === undefined) return unknown('invalid', `${path} holds a certificate that is not understood`)
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
    // What OpenSSL cannot read is thrown by the constructor, a key that it does not know by `publicKey`.
    return unknown('invalid', `${path} holds a certificate that cannot be read: ${String(error)}`)
  }
}

/** Undefined of a certificate whose subject is empty. */
function oneLine(name: string | undefined): string {
  return (name ?? '').split('\n').join(', ')
}

const BITS_OF_TYPES: Readonly<Record<string, number>> = { ed25519: 256, ed448: 456, x25519: 253, x448: 448 }

/** A curve has its bits in its name; openssl calls that of 256 bits prime256v1. */
function bitsOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): number {
  const [curve] = /\d{3}/.exec(details?.namedCurve ?? '') ?? []
  return details?.modulusLength ?? BITS_OF_TYPES[`${type}`] ?? Number(curve ?? 0)
}

/** As `openssl list -signature-algorithms` and X.509 name them. @see RFC 8017, RFC 5758, RFC 8410 */
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

/** What Node does not tell of a certificate. @see RFC 5280, 4.1 */
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

/** Of six it is written without the longest run of zeros. @see RFC 5952 */
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
