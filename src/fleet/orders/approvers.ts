import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { type Envelope, isSignedBy } from '../../host/signing/envelope.ts'
import { type Key, publicKeyOf } from '../../host/signing/keys.ts'
import { readWhole } from '../../host/live/read-whole.ts'
import { errorCode } from '../../host/live/system-error.ts'
import { whoCanChange } from '../../host/live/who-can-change.ts'
import { valueOfJson } from '../nats/json.ts'

/** Who may approve that hosts are repaired, and how many of them it takes. */
export interface Approvers {
  readonly needed: number
  readonly approvers: readonly Approver[]
}

/** A person who may approve, with the public half of their key. */
export interface Approver {
  readonly name: string
  readonly key: Key
}

/** What the file is called, on hosts and where the operator is. */
export const APPROVERS_FILE = 'approvers.json'

const LARGEST_BYTES = 256 * 1024

/** The text of the file. The keys are public ones in PEM. */
export function approversText(
  needed: number,
  approvers: readonly { readonly name: string; readonly key: string }[],
): string {
  return `${JSON.stringify({ needed, approvers }, null, 2)}\n`
}

/**
 * Reads the file; undefined if absent: then nobody's order is carried out. Throws an `OperatorError` for one that cannot be
 * used, or that others could change.
 */
export function readApprovers(path: string): Approvers | undefined {
  let bytes: Buffer
  try {
    const others = whoCanChange(path)
    if (others !== undefined) throw new OperatorError(`${path} is not used: ${others}`)
    bytes = readWhole(path, LARGEST_BYTES)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`cannot read ${path}: ${systemReason(error)}`, { cause: error })
  }
  return approversIn(path, bytes)
}

/** The same of what was read from there, or came with an invitation. Throws an `OperatorError`. */
export function approversIn(path: string, bytes: Uint8Array): Approvers {
  const wrong = (what: string): OperatorError =>
    new OperatorError(`${path} ${what}, as "driftgate fleet approvers" writes it`)
  const value = valueOfJson(bytes)
  const { needed, approvers }: Partial<Record<keyof Approvers, unknown>> =
    typeof value === 'object' && value !== null ? value : {}
  if (!Array.isArray(approvers)) throw wrong('must have "approvers", a list of names and public keys')
  const read = approvers.map((each: unknown): Approver => {
    const { name, key }: Partial<Record<keyof Approver, unknown>> =
      typeof each === 'object' && each !== null ? each : {}
    if (typeof name !== 'string' || typeof key !== 'string')
      throw wrong('must name each approver with "name" and "key"')
    return { name, key: publicKeyOf(`the key of ${name} in ${path}`, key) }
  })
  if (new Set(read.map(({ key }) => key.id)).size < read.length)
    throw wrong('has one key twice: each approver has one of their own')
  if (typeof needed !== 'number' || !Number.isSafeInteger(needed) || needed < 1 || needed > read.length)
    throw wrong(`must say in "needed" how many of its ${read.length} approvers it takes`)
  return { needed, approvers: read }
}

/** The names of those who have approved what an envelope holds, each once. A signature of its author does not count. */
export function approvedBy(envelope: Envelope, { approvers }: Approvers, author: Key): readonly string[] {
  return approvers.filter(({ key }) => key.id !== author.id && isSignedBy(envelope, key)).map(({ name }) => name)
}

/** Why the approvals do not suffice, for the end of a sentence; undefined where they do. */
export function lacksApproval(envelope: Envelope, approvers: Approvers, author: Key): string | undefined {
  const names = approvedBy(envelope, approvers, author)
  const { needed } = approvers
  if (names.length >= needed) return undefined
  const by = names.length === 0 ? 'not approved' : `only ${names.join(' and ')} approved it`
  return `${by}, and it takes ${needed} of ${approvers.approvers.map(({ name }) => name).join(', ')}`
}
