import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { type Envelope, isSignedBy } from '../../host/signing/envelope.ts'
import { type Key, publicKeyOf } from '../../host/signing/keys.ts'
import { readWhole } from '../../host/live/read-whole.ts'
import { errorCode } from '../../host/live/system-error.ts'
import { whoCanChange } from '../../host/live/who-can-change.ts'
import { valueOfJson } from '../nats/json.ts'

/** Approvers of fix orders, and the required number of approvals. */
export interface Approvers {
  readonly needed: number
  readonly approvers: readonly Approver[]
}

/** An approver with the public key. */
export interface Approver {
  readonly name: string
  readonly key: Key
}

/** Name of the file on hosts and in the operator's directory. */
export const APPROVERS_FILE = 'approvers.json'

const LARGEST_BYTES = 256 * 1024

/** Contents of the file, with public keys in PEM. */
export function approversText(
  needed: number,
  approvers: readonly { readonly name: string; readonly key: string }[],
): string {
  return `${JSON.stringify({ needed, approvers }, null, 2)}\n`
}

/**
 * Reads the file; undefined if absent: orders are then not carried out. Throws an `OperatorError` if it is invalid or
 * others can change it.
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

/** Parses the contents of the file or of an invitation. Throws an `OperatorError`. */
export function approversIn(path: string, bytes: Uint8Array): Approvers {
  const wrong = (what: string): OperatorError =>
    new OperatorError(`${path} ${what}; write it with "driftgate fleet approvers"`)
  const value = valueOfJson(bytes)
  const { needed, approvers }: Partial<Record<keyof Approvers, unknown>> =
    typeof value === 'object' && value !== null ? value : {}
  if (!Array.isArray(approvers)) throw wrong('must contain "approvers", a list of names and public keys')
  const read = approvers.map((each: unknown): Approver => {
    const { name, key }: Partial<Record<keyof Approver, unknown>> =
      typeof each === 'object' && each !== null ? each : {}
    if (typeof name !== 'string' || typeof key !== 'string')
      throw wrong('must name each approver with "name" and "key"')
    return { name, key: publicKeyOf(`the key of ${name} in ${path}`, key) }
  })
  if (new Set(read.map(({ key }) => key.id)).size < read.length)
    throw wrong('has a duplicate key: each approver needs a separate key')
  if (typeof needed !== 'number' || !Number.isSafeInteger(needed) || needed < 1 || needed > read.length)
    throw wrong(`must set "needed" to the number of its ${read.length} approvers that are required`)
  return { needed, approvers: read }
}

/** Names of the approvers who signed an envelope, each once. The author's own signature does not count. */
export function approvedBy(envelope: Envelope, { approvers }: Approvers, author: Key): readonly string[] {
  return approvers.filter(({ key }) => key.id !== author.id && isSignedBy(envelope, key)).map(({ name }) => name)
}

/** Reason why approvals are missing, as the end of a sentence; undefined if they suffice. */
export function lacksApproval(envelope: Envelope, approvers: Approvers, author: Key): string | undefined {
  const names = approvedBy(envelope, approvers, author)
  const { needed } = approvers
  if (names.length >= needed) return undefined
  const by = names.length === 0 ? 'not approved' : `approved only by ${names.join(' and ')}`
  return `${by}, but it needs ${needed} of ${approvers.approvers.map(({ name }) => name).join(', ')}`
}
