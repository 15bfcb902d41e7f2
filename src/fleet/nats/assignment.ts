import { defined } from '../../model/defined.ts'
import { parseDuration } from '../../model/duration.ts'
import { isSha256 } from '../../host/signing/digest.ts'
import { type Envelope, envelopeOf, hasExactly, isSignedBy, sealEnvelope } from '../../host/signing/envelope.ts'
import type { Key } from '../../host/signing/keys.ts'
import { valueOfJson } from './json.ts'
import { type Addressee, readAddressee } from './names.ts'

/** Assignment of policies to hosts, signed by the operator. */
export interface Assignment {
  readonly schema: typeof SCHEMA
  readonly to: Addressee
  /** Increases with every assignment of the fleet, for any addressee. */
  readonly version: number
  readonly policies: readonly [AssignedPolicy, ...AssignedPolicy[]]
  /** Scan interval, `1h`; default: that of the enrolment. */
  readonly interval?: string
  readonly reason: string
  readonly author: string
  /** Time of signing, in ISO 8601. */
  readonly at: string
}

/** A policy bundle. */
export interface AssignedPolicy {
  readonly name: string
  readonly sha256: string
}

const SCHEMA = 'driftgate.assignment/v1'
const PAYLOAD = 'application/vnd.driftgate.assignment+json'

/** Policy names become part of file names. */
const POLICY_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/

/** Upper limit that remains manageable. */
const MOST_POLICIES = 256
const LONGEST_TEXT = 2000

/** Signs an assignment with the operator's private key. */
export function signAssignment(assignment: Omit<Assignment, 'schema'>, key: Key): Envelope {
  return sealEnvelope(PAYLOAD, Buffer.from(JSON.stringify({ schema: SCHEMA, ...assignment })), key)
}

/** Opens an assignment signed with the key; otherwise returns the reason for rejecting it. */
export function openAssignment(
  value: unknown,
  key: Key,
): { readonly assignment: Assignment } | { readonly message: string } {
  const envelope = envelopeOf(PAYLOAD, value)
  if ('message' in envelope) return envelope
  if (!isSignedBy(envelope, key)) return { message: 'it is not signed with the policy key' }
  const assignment = assignmentIn(Buffer.from(envelope.payload, 'base64'))
  return assignment === undefined ? { message: `the signed content is not ${SCHEMA}` } : { assignment }
}

/** True for a valid policy name. */
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

/** Parses a policy in a signed value; undefined if invalid. */
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
