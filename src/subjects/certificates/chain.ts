import { known, type Reading, unknown } from '../../model/observation.ts'
import { dateOf } from './words.ts'
import type { Extension, ParsedCertificate } from './parse.ts'

export interface ChainMeans {
  /** Untrusted certificates sent along with the certificate. */
  readonly intermediates: readonly ParsedCertificate[]
  readonly trusted: readonly ParsedCertificate[]
  readonly nowMs: number
}

const BASIC_CONSTRAINTS = '2.5.29.19'
const NAME_CONSTRAINTS = '2.5.29.30'

/** Critical extensions that do not affect this verification: key usage, names, basic constraints, purposes, policies. */
const UNDERSTOOD = ['2.5.29.15', '2.5.29.17', BASIC_CONSTRAINTS, '2.5.29.37', '2.5.29.32']

const LONGEST = 12

/**
 * Verifies that a certificate chains to a trusted self-signed one, like `openssl verify`: `null` if valid, otherwise the reason.
 * Unknown if the chain uses a feature that is not supported here.
 */
export function judgeChain(leaf: ParsedCertificate, means: ChainMeans): Reading<string | null> {
  return follow([leaf], means)
}

function follow(path: readonly [ParsedCertificate, ...ParsedCertificate[]], means: ChainMeans): Reading<string | null> {
  const last = path.at(-1) ?? path[0]
  const own = problemOf(last, path.length - 1, means.nowMs)
  if (own !== undefined) return own
  if (isIssuedBy(last, last)) {
    const isTrusted = means.trusted.some((each) => isSame(each, last))
    return known(isTrusted ? null : `${last.certificate.subject} is self-signed and not trusted`)
  }
  if (path.length === LONGEST) return known('the certificate chain is too long')
  const issuers = [...means.trusted, ...means.intermediates].filter((each) => {
    return isIssuedBy(last, each) && !path.some((other) => isSame(each, other))
  })
  let reason: Reading<string | null> = known(
    `the issuer ${last.certificate.issuer} is neither in the chain nor trusted`,
  )
  for (const [at, issuer] of issuers.entries()) {
    const judged = follow([...path, issuer], means)
    if (judged.kind === 'known' && judged.value === null) return judged
    if (at === 0 || judged.kind === 'unknown') reason = judged
  }
  return reason
}

function problemOf(
  { certificate, x509, extensions }: ParsedCertificate,
  below: number,
  nowMs: number,
): Reading<string> | undefined {
  const { subject, notBeforeMs, notAfterMs } = certificate
  const strange = extensions.find(({ id, isCritical }) => {
    return id === NAME_CONSTRAINTS ? below > 0 : isCritical && !UNDERSTOOD.includes(id)
  })
  if (strange !== undefined) {
    return unknown('invalid', `${subject} has the extension ${strange.id}, which driftgate does not evaluate`)
  }
  if (nowMs < notBeforeMs) return known(`${subject} is not valid before ${dateOf(notBeforeMs)}`)
  if (nowMs > notAfterMs) return known(`${subject} is not valid after ${dateOf(notAfterMs)}`)
  if (below === 0) return undefined
  if (!x509.ca) return known(`${subject} is not a CA certificate`)
  const longest = pathLengthOf(extensions)
  // Only intermediates between the issuer and the leaf count.
  return longest !== undefined && below - 1 > longest
    ? known(`the path length constraint of ${subject} allows at most ${longest} intermediate certificates below it`)
    : undefined
}

/** Whether names match, the issuer may sign, and the signature is valid. */
function isIssuedBy({ x509 }: ParsedCertificate, issuer: ParsedCertificate): boolean {
  return x509.checkIssued(issuer.x509) && x509.verify(issuer.x509.publicKey)
}

function isSame(left: ParsedCertificate, right: ParsedCertificate): boolean {
  return left.certificate.fingerprint === right.certificate.fingerprint
}

/** `SEQUENCE { BOOLEAN cA, INTEGER pathLenConstraint }`, both optional. */
function pathLengthOf(extensions: readonly Extension[]): number | undefined {
  const value = extensions.find(({ id }) => id === BASIC_CONSTRAINTS)?.value
  const [tag, size, length] = value?.subarray(-3) ?? []
  return value !== undefined && value.length > 5 && tag === 0x02 && size === 1 ? length : undefined
}
