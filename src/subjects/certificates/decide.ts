import { DAY_MS } from '../../model/duration.ts'
import { type Acceptance, isAccepted, type ValueOrder } from '../../model/acceptance.ts'
import { type Decision, NO_PLAN } from '../../model/decision.ts'
import { cannot, differences, missing } from '../../model/differences.ts'
import type { DecidedDrift, ReportValue } from '../../model/drift.ts'
import type { Reading, Seen } from '../../model/observation.ts'
import { AS_WANTED, drifted, mergeParts, type PartialDecision, undecided } from '../../model/partial-decision.ts'
import { NUMBERS, SETS } from '../../model/value-orders.ts'
import { TEXTS } from '../../resource-type/text-order.ts'
import { acceptanceOf } from '../shared/acceptance-of.ts'
import { dateOf } from './words.ts'
import type { Certificate } from './parse.ts'

/** Desired state of a certificate; undefined properties are not compared. */
export interface CertificateDesired {
  readonly name: string
  readonly server_name?: string | undefined
  readonly days_left?: number | Acceptance<number> | undefined
  readonly names?: readonly string[] | Acceptance<readonly string[], string> | undefined
  readonly subject?: string | Acceptance<string> | undefined
  readonly issuer?: string | Acceptance<string> | undefined
  readonly key_type?: string | Acceptance<string> | undefined
  readonly key_bits?: number | Acceptance<number> | undefined
  readonly signature?: string | Acceptance<string> | undefined
  readonly chain?: 'valid' | undefined
  readonly ca?: string | undefined
  readonly same_as?: string | undefined
  readonly if_absent: 'drift' | 'compliant'
}

export interface CertificateState {
  readonly certificate: Certificate
  readonly nowMs: number
  /** Why the chain is invalid, `null` if valid; only observed if the policy requires it. */
  readonly chain: Reading<string | null>
  /** Fingerprint of the expected certificate; only observed if the policy requires it, and `null` if its file is missing. */
  readonly other: Reading<string | null>
}

const SAID = 'a fix does not issue certificates: have a new one issued'

/** Names with wildcards: `*.example.org` covers `www.example.org`. */
const NAMES: ValueOrder<readonly string[], string> = {
  equals: SETS.equals,
  raise: withCovered,
  lower: (list, bound) => list.filter((name) => bound.some((each) => each.toLowerCase() === name)),
  include: withCovered,
  exclude: (list, items) => list.filter((item) => !items.includes(item)),
}

function withCovered(list: readonly string[], items: readonly string[]): readonly string[] {
  const uncovered = items.filter((item) => !list.some((each) => covers(each, item.toLowerCase())))
  return uncovered.length === 0 ? list : [...list, ...uncovered]
}

/** A wildcard matches exactly one label, the first one. @see RFC 6125, 6.4.3 */
function covers(name: string, wanted: string): boolean {
  return name === wanted || name === wanted.replace(/^[^.*]+(?=\.)/, '*')
}

/** Compares a certificate with the policy. Its validity period is always checked. */
export function decideCertificate(wanted: CertificateDesired, observed: Seen<CertificateState>): Decision<never> {
  if (observed.kind === 'absent') return decideAbsent(wanted)
  const { state } = observed
  const { certificate } = state
  const own = drifted(
    ...validity(certificate, state.nowMs),
    ...daysLeft(wanted, state),
    ...compareNames(wanted, certificate),
    ...notAccepted('subject', TEXTS, wanted.subject, certificate.subject),
    ...notAccepted('issuer', TEXTS, wanted.issuer, certificate.issuer),
    ...notAccepted('key_type', TEXTS, wanted.key_type, certificate.keyType),
    ...notAccepted('key_bits', NUMBERS, wanted.key_bits, certificate.keyBits),
    ...notAccepted('signature', TEXTS, wanted.signature, certificate.signature),
  )
  const { drift, unknown } = mergeParts([own, compareChain(wanted, state), compareOther(wanted, state)])
  return {
    ensure: { desired: 'present', observed: 'present' },
    drift,
    unknown,
    plan: drift.length === 0 ? NO_PLAN : { kind: 'refuse', obstacles: [cannot(SAID)] },
  }
}

function decideAbsent({ name, if_absent: ifAbsent }: CertificateDesired): Decision<never> {
  if (ifAbsent === 'drift') return missing({ obstacles: [cannot(SAID, { missing: name })] })
  return differences([], { ensure: { desired: 'present', observed: 'absent' }, messages: [`${name} does not exist`] })
}

function validity({ notBeforeMs, notAfterMs }: Certificate, nowMs: number): readonly DecidedDrift[] {
  if (nowMs < notBeforeMs)
    return [{ property: 'validity', desired: 'valid', observed: `not before ${dateOf(notBeforeMs)}` }]
  if (nowMs > notAfterMs)
    return [{ property: 'validity', desired: 'valid', observed: `not after ${dateOf(notAfterMs)}` }]
  return []
}

/** Whole days; a started day does not count. */
function daysLeft(
  { days_left: wanted }: CertificateDesired,
  { certificate, nowMs }: CertificateState,
): readonly DecidedDrift[] {
  const days = Math.floor((certificate.notAfterMs - nowMs) / DAY_MS)
  const note = `valid until ${dateOf(certificate.notAfterMs)}`
  return notAccepted('days_left', NUMBERS, wanted, days).map((drift) => ({ ...drift, note }))
}

function compareNames({ names: wanted }: CertificateDesired, { names }: Certificate): readonly DecidedDrift[] {
  if (wanted === undefined) return []
  const accepted = acceptanceOf<readonly string[], string>(wanted)
  return isAccepted(NAMES, accepted, names)
    ? []
    : [{ property: 'names', desired: accepted, observed: names.join(', ') }]
}

function notAccepted<Value extends ReportValue, Item>(
  property: string,
  order: ValueOrder<Value, Item>,
  wanted: Value | Acceptance<Value, Item> | undefined,
  observed: Value,
): readonly DecidedDrift[] {
  if (wanted === undefined || isAccepted(order, acceptanceOf<Value, Item>(wanted), observed)) return []
  return [{ property, desired: wanted as ReportValue, observed }]
}

function compareChain({ chain: wanted }: CertificateDesired, { chain }: CertificateState): PartialDecision {
  if (wanted === undefined) return AS_WANTED
  if (chain.kind === 'unknown') return undecided('chain', chain)
  if (chain.value === null) return AS_WANTED
  const { value: reason } = chain
  return drifted({ property: 'chain', desired: wanted, observed: 'invalid', note: reason, whole: reason })
}

function compareOther(
  { same_as: path }: CertificateDesired,
  { certificate, other }: CertificateState,
): PartialDecision {
  if (path === undefined) return AS_WANTED
  if (other.kind === 'unknown') return undecided('same_as', other)
  if (other.value === certificate.fingerprint) return AS_WANTED
  const note = other.value === null ? `${path} does not exist` : `${path} contains another certificate`
  const sha256 = other.value === null ? null : `sha256 ${other.value}`
  return drifted({ property: 'same_as', desired: sha256 ?? path, observed: `sha256 ${certificate.fingerprint}`, note })
}
