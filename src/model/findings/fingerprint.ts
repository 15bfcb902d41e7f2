import { hash } from 'node:crypto'
import { ACCEPTANCE_WORDS, isAcceptance } from '../acceptance.ts'
import type { Drift, ReportValue } from '../drift.ts'
import type { ResourceResult } from '../run.ts'

/** Half of a sha256: short enough for a ticket, long enough to avoid collisions. */
const FINGERPRINT_CHARACTERS = 32

/** The parts of a finding that stay the same between runs. */
export interface FindingKey {
  readonly policy: string
  readonly resource: Pick<ResourceResult, 'id' | 'path'>
  /** For drift, the property and the file; for other findings, the verdict. */
  readonly subject: readonly string[]
}

/**
 * The fingerprint of a finding: policy, resource, property and kind of difference, but no value, line, title or time,
 * so that it survives changes of these. 32 characters of lowercase hex.
 */
export function fingerprint({ policy, resource, subject }: FindingKey): string {
  const parts = [policy, ...(resource.path ?? []), resource.id, '', ...subject]
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, FINGERPRINT_CHARACTERS)
}

export function driftFingerprint(policy: string, resource: FindingKey['resource'], drift: Drift): string {
  return fingerprint({ policy, resource, subject: [drift.property, drift.path ?? '', kindOf(drift)] })
}

/** Distinguishes findings with the same fingerprint by value: equal texts for equal pairs of values. */
export function valuesOf({
  desired,
  observed,
  observedDigest,
}: Pick<Drift, 'desired' | 'observed' | 'observedDigest'>): string {
  return JSON.stringify([comparable(desired), comparable(observed), observedDigest])
}

/** The kind of difference: missing, unwanted and different are separate findings. */
function kindOf({ desired, observed }: Drift): string {
  if (observed === 'absent' || observed === null) return 'missing'
  return desired === 'absent' ? 'unwanted' : 'differs'
}

/** Stored reports may have the members of a value in any order. */
function comparable(value: ReportValue): unknown {
  if (value === null || typeof value !== 'object') return value
  if (isAcceptance(value)) return ['accepts', ...ACCEPTANCE_WORDS.map((word) => value[word] ?? null)]
  return 'redacted' in value ? ['redacted', value.digest] : ['sha256', value.sha256, value.sizeBytes]
}
