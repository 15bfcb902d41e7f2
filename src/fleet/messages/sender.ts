import { isSha256 } from '../../host/signing/digest.ts'

/** What the sender says of itself, beside what it found. */
export interface Sender {
  /** The version of driftgate. */
  readonly version: string
  /** Which start of the machine it is; absent where the system does not tell. */
  readonly bootId?: string
  /** When it looks again, ISO 8601; absent where only a person knows. */
  readonly nextDue?: string
  /** The assignment that it goes by; absent if missing. */
  readonly assignment?: AssignmentInForce
}

/** Which assignment a host goes by. */
export interface AssignmentInForce {
  /** `ring.NAME` or `host.NAME`. */
  readonly to: string
  readonly version: number
  readonly sha256: string
}

/** The same with what it still has to send. */
export interface SenderNote extends Sender {
  /** How many runs wait behind this one. */
  readonly spool: number
  /** How many runs were never sent, and never will be, since the host joined. */
  readonly lost: number
}

/** The same as its reader knows it. */
export interface SenderInfo extends SenderNote {
  /** When the storage got it, in milliseconds since 1970: what it says was so then. */
  readonly saidAtMs: number
}

/** Reads it from a message; undefined if invalid. What the message has beyond that is left out. */
export function readSender(value: unknown): SenderNote | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { version, bootId, nextDue, assignment, spool, lost }: Partial<Record<keyof SenderNote, unknown>> = value
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
  if (typeof value !== 'object' || value === null) return undefined
  const { to, version, sha256 }: Partial<Record<keyof AssignmentInForce, unknown>> = value
  return isText(to) && isCount(version) && isSha256(sha256) ? { to, version, sha256 } : undefined
}

/** Longer ones are no names, versions or ids of ours, and would fill the memory of a reader that follows thousands of hosts. */
const LONGEST_TEXT = 200

/** Whether a value is a short text. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= LONGEST_TEXT
}

/** Whether a value is a whole number from 0 on. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/** Whether a value is a time. */
export function isTime(value: unknown): value is string {
  return isText(value) && !Number.isNaN(Date.parse(value))
}
