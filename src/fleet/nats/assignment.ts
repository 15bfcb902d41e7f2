import { defined } from '../../model/defined.ts'
import { parseDuration } from '../../model/duration.ts'
import { isSha256 } from '../../host/signing/digest.ts'
import { type Envelope, envelopeOf, hasExactly, isSignedBy, sealed } from '../../host/signing/envelope.ts'
import type { Key } from '../../host/signing/keys.ts'
import { valueOfJson } from './json.ts'
import { type Addressee, readAddressee } from './names.ts'

/** What hosts are to scan with, as the operator signs it. */
export interface Assignment {
  readonly schema: typeof SCHEMA
  readonly to: Addressee
  /** Rises with every assignment of the fleet, for any addressee. */
  readonly version: number
  readonly policies: readonly [AssignedPolicy, ...AssignedPolicy[]]
  /** How often they are scanned, `1h`; where it is absent what the host was enrolled with. */
  readonly interval?: string
  readonly reason: string
  readonly author: string
  /** When it was signed, in ISO 8601. */
  readonly at: string
}

/** A bundle of a policy. */
export interface AssignedPolicy {
  readonly name: string
  readonly sha256: string
}

const SCHEMA = 'driftgate.assignment/v1'
const PAYLOAD = 'application/vnd.driftgate.assignment+json'

/** What a policy is called: a part of the names of files. */
const POLICY_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/

/** As many as a person can oversee. */
const MOST_POLICIES = 256
const LONGEST_TEXT = 2000

/** Signs an assignment with the private key of the operator. */
export function signAssignment(assignment: Omit<Assignment, 'schema'>, key: Key): Envelope {
  return sealed(PAYLOAD, Buffer.from(JSON.stringify({ schema: SCHEMA, ...assignment })), key)
}

/** What an envelope from JSON assigns where the key has signed it, or why nothing of it counts. */
export function openAssignment(
  value: unknown,
  key: Key,
): { readonly assignment: Assignment } | { readonly message: string } {
  const envelope = envelopeOf(PAYLOAD, value)
  if ('message' in envelope) return envelope
  if (!isSignedBy(envelope, key)) return { message: 'it is not signed by the key that signs policies' }
  const assignment = assignmentIn(Buffer.from(envelope.payload, 'base64'))
  return assignment === undefined ? { message: `what is signed is no ${SCHEMA}` } : { assignment }
}

/** Whether a text can be the name of an assigned policy. */
export function isPolicyName(text: unknown): text is string {
  return typeof text === 'string' && POLICY_NAME.test(text)
}

function assignmentIn(payload: Buffer): Assignment | undefined {
  const value = valueOfJson(payload)
  const has = ['at', 'author', 'policies', 'reason', 'schema', 'to', 'version'] as const
  if (!hasExactly(value, has) && !hasExactly(value, [...has, 'interval'].toSorted())) return undefined
  const said: Readonly<Record<string, unknown>> = value
  const { schema, version, at, author, reason, interval } = said
  const to = readAddressee(said['to'])
  const policies = policiesOf(said['policies'])
  if (schema !== SCHEMA || to === undefined || policies === undefined) return undefined
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 1) return undefined
  if (!isText(at) || !isText(author) || !isText(reason) || Number.isNaN(Date.parse(at))) return undefined
  if (interval !== undefined && !(typeof interval === 'string' && (parseDuration(interval) ?? 0) > 0)) return undefined
  return { schema, to, version, policies, ...defined({ interval }), reason, author, at }
}

/** A policy in a signed value; undefined if invalid. */
export function readPolicy(value: unknown): AssignedPolicy | undefined {
  if (!hasExactly(value, ['name', 'sha256'])) return undefined
  const { name, sha256 } = value
  return isPolicyName(name) && isSha256(sha256) ? { name, sha256 } : undefined
}

function policiesOf(value: unknown): Assignment['policies'] | undefined {
  if (!Array.isArray(value) || value.length > MOST_POLICIES) return undefined
  const policies = (value as unknown[]).map(readPolicy).filter((policy) => policy !== undefined)
  const names = new Set(policies.map(({ name }) => name))
  const [first, ...others] = policies
  return first === undefined || names.size !== value.length ? undefined : [first, ...others]
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST_TEXT
}
