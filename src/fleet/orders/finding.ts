import { membersOf } from '../../model/members-of.ts'
import { canonicalJson } from '../../model/canonical-json.ts'
import { isAcceptance } from '../../model/acceptance.ts'
import { defined } from '../../model/defined.ts'
import type { ReportValue } from '../../model/drift.ts'
import type { ReportedDrift, ResourceResult } from '../../model/run.ts'

/** Drift of one resource of a host, reduced to the data for a decision. */
export interface Finding extends Pick<ResourceResult, 'id' | 'path' | 'ensure' | 'risk' | 'irreversible'> {
  readonly drift: readonly OrderedDrift[]
}

/** A difference. `diff` is for display only; absent if the file is not world-readable. */
type OrderedDrift = Pick<ReportedDrift, 'property' | 'path' | 'desired' | 'observed' | 'fingerprint' | 'diff'>

/** A permitted reaction to a fix, such as the restart of a service. */
export interface Follower extends Pick<ResourceResult, 'id' | 'path'> {
  /** As sentences. */
  readonly actions: readonly string[]
}

/** Finding of a resource to fix, as in an order. */
export function findingOf({ id, path, ensure, risk, irreversible, drift }: ResourceResult): Finding {
  return {
    id,
    ...defined({ path, ensure, risk, irreversible }),
    drift: drift.map((each): OrderedDrift => {
      const { property, desired, observed, fingerprint } = each
      const diff = each.confidential === true ? undefined : each.diff
      return { property, desired, observed, ...defined({ path: each.path, fingerprint, diff }) }
    }),
  }
}

/** True if a fix would change the resource itself. */
export function isRepairable({ verdict, change }: ResourceResult): boolean {
  return verdict === 'drifted' && change !== 'cannot'
}

/** True if a compliant resource would only react to the change of a resource it subscribes to. */
export function isFollower({ verdict, actions }: ResourceResult): boolean {
  return verdict === 'compliant' && actions.length > 0
}

/** Reaction of a resource, as in an order. */
export function followerOf({ id, path, actions }: ResourceResult): Follower {
  return { id, ...defined({ path }), actions }
}

/** True if two findings are equal, including their values. */
export function isSameFinding(left: Finding, right: Finding): boolean {
  return canonicalJson(withoutDiff(left)) === canonicalJson(withoutDiff(right))
}

/** The digests of contents identify them exactly. */
function withoutDiff({ drift, ...finding }: Finding): object {
  return { ...finding, drift: drift.map(({ diff: _diff, ...each }) => each) }
}

/** Unique key of a resource in a policy. */
export function resourceOf({ path = [], id }: Pick<ResourceResult, 'id' | 'path'>): string {
  return [...path, id].join(' > ')
}

/** Parses a signed finding from JSON; undefined if invalid. */
export function readFinding(value: unknown): Finding | undefined {
  const { id, path, drift, ensure, risk, irreversible } = membersOf<keyof Finding>(value)
  if (typeof id !== 'string' || !Array.isArray(drift) || !drift.every(isDrift)) return undefined
  if (path !== undefined && !isTexts(path)) return undefined
  if (ensure !== undefined && !isEnsure(ensure)) return undefined
  if (!isTextOrAbsent(risk) || !isTextOrAbsent(irreversible)) return undefined
  return { id, ...defined({ path, ensure, risk, irreversible }), drift }
}

/** Parses a signed reaction from JSON; undefined if invalid. */
export function readFollower(value: unknown): Follower | undefined {
  const { id, path, actions } = membersOf<keyof Follower>(value)
  if (typeof id !== 'string' || !isTexts(actions) || (path !== undefined && !isTexts(path))) return undefined
  return { id, ...defined({ path }), actions }
}

function isDrift(value: unknown): value is Finding['drift'][number] {
  const { property, path, fingerprint, diff, ...values } = membersOf<keyof ReportedDrift>(value)
  const isComplete = isValue(values.desired) && isValue(values.observed)
  return typeof property === 'string' && isComplete && [path, fingerprint, diff].every(isTextOrAbsent)
}

/** True for a report value: it is shown to approvers before they sign. */
function isValue(value: unknown): value is ReportValue {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return true
  if (typeof value !== 'object' || Array.isArray(value)) return false
  const {
    sha256,
    sizeBytes,
    redacted,
    digest,
  }: Partial<Record<'sha256' | 'sizeBytes' | 'redacted' | 'digest', unknown>> = value
  if (redacted === true) return typeof digest === 'string'
  return (typeof sha256 === 'string' && typeof sizeBytes === 'number') || isAcceptance(value)
}

function isEnsure(value: unknown): value is NonNullable<Finding['ensure']> {
  if (typeof value !== 'object' || value === null) return false
  const { desired, observed }: { readonly desired?: unknown; readonly observed?: unknown } = value
  return typeof desired === 'string' && typeof observed === 'string'
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function isTextOrAbsent(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string'
}
