import { TLS } from './subject.ts'
import {
  absent,
  known,
  type Observation,
  present,
  type Reading,
  unknown,
  readLists,
  readFirst,
} from '../../model/observation.ts'
import type { ResourceContext } from '../../resource-type/define.ts'
import type { HasFiles, Target } from '../../host/target.ts'
import { addressOf } from './words.ts'
import { judgeChain } from './chain.ts'
import type { CertificateState, CertificateDesired } from './decide.ts'
import { type ParsedCertificate, parseCertificates } from './parse.ts'

type Machine = Pick<Target, 'open'> & HasFiles<'stat' | 'readHead'>

// The bundle with all authorities of a system is about 512 KiB.
const LARGEST_FILE_BYTES = 8 * 1024 * 1024
const PATIENCE_MS = 10_000

/** Bundles of trusted authorities, by distribution. */
const SYSTEM_AUTHORITIES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
]

/** Reads the certificate, and the files required to verify it. */
export async function observeCertificate(
  machine: Machine,
  wanted: CertificateDesired,
  context: Pick<ResourceContext, 'signal' | 'commandsForbidden'>,
): Promise<Observation<CertificateState>> {
  const nowMs = Date.now()
  const own = wanted.name.startsWith('/') ? readFile(machine, wanted.name) : await askServer(machine, wanted, context)
  if (own.kind === 'unknown') return own
  const [leaf, ...intermediates] = own.value ?? []
  if (leaf === undefined) return absent()
  return present({
    certificate: leaf.certificate,
    nowMs,
    chain: wanted.chain === undefined ? known(null) : readChain(machine, wanted, { leaf, intermediates, nowMs }),
    other: wanted.same_as === undefined ? known(null) : readOther(machine, wanted.same_as),
  })
}

/** Certificates of a file; `null` if the file is proved absent. */
function readFile({ files: { stat, readHead } }: Machine, path: string): Reading<readonly ParsedCertificate[] | null> {
  const seen = stat(path)
  if (seen.kind === 'unknown') return seen
  if (seen.kind === 'absent') return known(null)
  if (seen.state.kind !== 'file') return unknown('invalid', `${path} is not a regular file`)
  if (seen.state.sizeBytes > LARGEST_FILE_BYTES)
    return unknown('invalid', `${path} is too large for a certificate file`)
  const bytes = readHead(path, LARGEST_FILE_BYTES)
  return bytes.kind === 'unknown' ? bytes : parseCertificates(bytes.value, path)
}

async function askServer(
  { open }: Machine,
  { name, server_name: given }: CertificateDesired,
  { signal, commandsForbidden }: Pick<ResourceContext, 'signal' | 'commandsForbidden'>,
): Promise<Reading<readonly ParsedCertificate[]>> {
  const address = addressOf(name)
  if (address === undefined) return unknown('invalid', `${name} is neither an absolute path nor HOST:PORT`)
  if (commandsForbidden === true) {
    return unknown(
      'not-observable',
      'connections named by a policy are not allowed (--no-commands, --untrusted or --target)',
    )
  }
  const sent = await open(TLS).certificates(
    { ...address, serverName: given ?? address.host, timeoutMs: PATIENCE_MS },
    signal,
  )
  if (sent.kind === 'unknown') return sent
  const found = readLists(sent.value, (bytes) => parseCertificates(bytes, name))
  const isEmpty = found.kind === 'known' && found.value.length === 0
  return isEmpty ? unknown('not-observable', `${name} presents no certificate`) : found
}

interface Chain {
  readonly leaf: ParsedCertificate
  readonly intermediates: readonly ParsedCertificate[]
  readonly nowMs: number
}

function readChain(machine: Machine, { ca }: CertificateDesired, { leaf, ...chain }: Chain): CertificateState['chain'] {
  const trusted = readFirst(ca === undefined ? SYSTEM_AUTHORITIES : [ca], (path) => readFile(machine, path))
  if (trusted.kind === 'unknown') return trusted
  if (trusted.value !== null) return judgeChain(leaf, { ...chain, trusted: trusted.value })
  return unknown('not-observable', `${ca ?? 'the file with the trusted authorities of the system'} does not exist`)
}

function readOther(machine: Machine, path: string): CertificateState['other'] {
  const other = readFile(machine, path)
  return other.kind === 'unknown' ? other : known(other.value?.[0]?.certificate.fingerprint ?? null)
}
