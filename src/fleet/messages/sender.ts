import { membersOf } from '../../model/members-of.ts'
import { isSha256 } from '../../host/signing/digest.ts'

/** Sender information of a message. */
export interface Sender {
  /** driftgate version. */
  readonly version: string
  /** Boot id; absent if unknown. */
  readonly bootId?: string
  /** Next scheduled run, ISO 8601; absent for manual runs. */
  readonly nextDue?: string
  /** Assignment in force; absent without one. */
  readonly assignment?: AssignmentInForce
}

export interface AssignmentInForce {
  /** `ring.NAME` or `host.NAME`. */
  readonly to: string
  readonly version: number
  readonly sha256: string
}

/** Sender information with the state of the send queue. */
export interface SenderNote extends Sender {
  /** Number of runs queued behind this one. */
  readonly spool: number
  /** Number of runs, since the host joined, that will never be sent. */
  readonly lost: number
}

/** Sender information as received. */
export interface SenderInfo extends SenderNote {
  /** Time of storage, in milliseconds since 1970. */
  readonly saidAtMs: number
}

/** Parses sender information; undefined if invalid. Unknown members are dropped. */
export function readSender(value: unknown): SenderNote | undefined {
  const { version, bootId, nextDue, assignment, spool, lost } = membersOf<keyof SenderNote>(value)
  if (!isText(version) || !isCount(spool) || !isCount(lost)) return undefined
  if (bootId !== undefined && !isText(bootId)) return undefined
  if (nextDue !== undefined && !isTime(nextDue)) return undefined
  const inForce = assignment === undefined ? undefined : readAssignment(assignment)
  if (assignment !== undefined && inForce === undefined) return undefined
  return {
    version,
    spool,
    lost,
    ...(bootId === undefined ? {} : { bootId }),
    ...(nextDue === undefined ? {} : { nextDue }),
    ...(inForce === undefined ? {} : { assignment: inForce }),
  }
}

function readAssignment(value: unknown): AssignmentInForce | undefined {
  const { to, version, sha256 } = membersOf<keyof AssignmentInForce>(value)
  return isText(to) && isCount(version) && isSha256(sha256) ? { to, version, sha256 } : undefined
}

/**
 * Longer texts are not names, versions or ids of driftgate, and would fill the memory of a reader that follows
 * thousands of hosts.
 */
const LONGEST_TEXT = 200

/** True for a short, non-empty text. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= LONGEST_TEXT
}

/** True for a non-negative integer. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

export function isTime(value: unknown): value is string {
  return isText(value) && !Number.isNaN(Date.parse(value))
}
