import { hash } from 'node:crypto'
import { ACCEPTANCE_WORDS, isAcceptance } from '../acceptance.ts'
import type { Drift, ReportValue } from '../drift.ts'
import type { ResourceResult } from '../run.ts'

/** Half of a sha256: short enough for a ticket, long enough never to meet another one by chance. */
const FINGERPRINT_CHARACTERS = 32

/** What is the matter with a resource, as far as that is the same from run to run. */
export interface FindingKey {
  readonly policy: string
  readonly resource: Pick<ResourceResult, 'id' | 'path'>
  /** Of a drift the property, and the file in it; of other trouble the verdict. */
  readonly subject: readonly string[]
}

/**
 * The fingerprint of a finding: policy, resource, property and kind of difference, but no value, line, title or time, so
 * that it outlives all of these. 32 characters of lower-case hex.
 */
export function fingerprint({ policy, resource, subject }: FindingKey): string {
  const parts = [policy, ...(resource.path ?? []), resource.id, '', ...subject]
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, FINGERPRINT_CHARACTERS)
}

/** The fingerprint of a drift. */
export function driftFingerprint(policy: string, resource: FindingKey['resource'], drift: Drift): string {
  return fingerprint({ policy, resource, subject: [drift.property, drift.path ?? '', kindOf(drift)] })
}

/** What tells "the same finding, another value" apart: equal texts for equal pairs of values. */
export function valuesOf({
  desired,
  observed,
  observedDigest,
}: Pick<Drift, 'desired' | 'observed' | 'observedDigest'>): string {
  return JSON.stringify([comparable(desired), comparable(observed), observedDigest])
}

/** The way in which a thing differs: whether it is there at all is another finding than what it is like. */
function kindOf({ desired, observed }: Drift): string {
  if (observed === 'absent' || observed === null) return 'missing'
  return desired === 'absent' ? 'unwanted' : 'differs'
}

/** Stored reports may hold the fields of a value in any order. */
function comparable(value: ReportValue): unknown {
  if (value === null || typeof value !== 'object') return value
  if (isAcceptance(value)) return ['accepts', ...ACCEPTANCE_WORDS.map((word) => value[word] ?? null)]
  return 'redacted' in value ? ['redacted', value.digest] : ['sha256', value.sha256, value.sizeBytes]
}
