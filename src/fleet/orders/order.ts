import { DAY_MS } from '../../model/duration.ts'
import { membersOf } from '../../model/members-of.ts'
import { type Envelope, envelopeOf, isSignedBy, sealEnvelope } from '../../host/signing/envelope.ts'
import type { Key } from '../../host/signing/keys.ts'
import { isTime } from '../messages/sender.ts'
import { type AssignedPolicy, readPolicy } from '../nats/assignment.ts'
import { valueOfJson } from '../nats/json.ts'
import { isSafeName } from '../nats/names.ts'
import { type Finding, type Follower, readFinding, readFollower } from './finding.ts'

/** A fix order for hosts, signed by the operator and by approvers. Times are in ISO 8601. */
export interface Order {
  readonly schema: typeof SCHEMA
  /** A UUID; hosts carry out an order once. */
  readonly id: string
  /** Policy of the findings, by the digest of its bundle. */
  readonly policy: AssignedPolicy
  readonly fixes: readonly [Fix, ...Fix[]]
  readonly notBefore: string
  readonly expires: string
  readonly reason: string
  readonly author: string
  readonly at: string
}

/** Findings, and the hosts that have exactly these. Each host is in one fix only. */
export interface Fix {
  readonly hosts: readonly string[]
  readonly findings: readonly Finding[]
  /** Reactions that are allowed as well; nothing else is changed. */
  readonly follows: readonly Follower[]
}

export interface SignedOrder {
  readonly order: Order
  readonly envelope: Envelope
}

const SCHEMA = 'driftgate.order/v1'
const PAYLOAD = 'application/vnd.driftgate.order+json'
const LONGEST_TEXT = 2000

/** The maximum number of approvers, and the operator. */
const MOST_SIGNATURES = 33

/** Maximum validity of an order, in milliseconds: older findings must be observed again. */
export const LONGEST_ORDER_MS = DAY_MS

/** Maximum size of an order, which shares a server message with others. */
export const LARGEST_ORDER_BYTES = 256 * 1024

/** Signs an order with the operator's private key. */
export function signOrder(order: Omit<Order, 'schema'>, key: Key): Envelope {
  return sealEnvelope(PAYLOAD, Buffer.from(JSON.stringify({ schema: SCHEMA, ...order })), key)
}

/** Opens an order signed by the operator; otherwise returns the reason for rejecting it. */
export function openOrder(value: unknown, operator: Key): SignedOrder | { readonly message: string } {
  const read = readOrder(value)
  if ('message' in read || isSignedBy(read.envelope, operator)) return read
  return { message: 'it is not signed with the policy key' }
}

/** Opens an order without verifying its signatures. */
export function readOrder(value: unknown): SignedOrder | { readonly message: string } {
  const envelope = envelopeOf(PAYLOAD, value, MOST_SIGNATURES)
  if ('message' in envelope) return envelope
  const payload = Buffer.from(envelope.payload, 'base64')
  if (payload.length > LARGEST_ORDER_BYTES) return { message: `it has more than ${LARGEST_ORDER_BYTES} bytes` }
  const order = orderIn(payload)
  return order === undefined ? { message: `the signed content is not ${SCHEMA}` } : { order, envelope }
}

/** Fix of an order for a host; undefined if the order is not for it. */
export function fixFor({ fixes }: Order, host: string): Fix | undefined {
  return fixes.find(({ hosts }) => hosts.includes(host))
}

/** All hosts of an order, in order. */
export function hostsOf({ fixes }: Order): readonly string[] {
  return fixes.flatMap(({ hosts }) => hosts)
}

function orderIn(payload: Buffer): Order | undefined {
  const value = valueOfJson(payload)
  const { schema, id, notBefore, expires, reason, author, at, ...rest } = membersOf<keyof Order>(value)
  const policy = readPolicy(rest.policy)
  const fixes = fixesIn(rest.fixes)
  if (schema !== SCHEMA || !isUuid(id) || policy === undefined || fixes === undefined) return undefined
  if (!isText(reason) || !isText(author) || !isTime(notBefore) || !isTime(expires) || !isTime(at)) return undefined
  const spanMs = Date.parse(expires) - Date.parse(notBefore)
  if (spanMs <= 0 || spanMs > LONGEST_ORDER_MS) return undefined
  return { schema, id, policy, fixes, notBefore, expires, reason, author, at }
}

function fixesIn(value: unknown): Order['fixes'] | undefined {
  if (!Array.isArray(value)) return undefined
  const [first, ...others] = value.map(fixIn).filter((fix) => fix !== undefined)
  if (first === undefined || others.length + 1 < value.length) return undefined
  const hosts = [first, ...others].flatMap((fix) => fix.hosts)
  return new Set(hosts).size === hosts.length ? [first, ...others] : undefined
}

function fixIn(value: unknown): Fix | undefined {
  const { hosts, findings, follows } = membersOf<keyof Fix>(value)
  if (!Array.isArray(hosts) || !Array.isArray(findings) || !Array.isArray(follows)) return undefined
  const names = hosts.filter((host): host is string => typeof host === 'string' && isSafeName(host))
  const read = findings.map(readFinding).filter((finding) => finding !== undefined)
  const followers = follows.map(readFollower).filter((follower) => follower !== undefined)
  if (names.length < hosts.length || read.length < findings.length || followers.length < follows.length)
    return undefined
  return names.length > 0 && read.length > 0 ? { hosts: names, findings: read, follows: followers } : undefined
}

/** True for a UUID, which is safe as part of a file name. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST_TEXT
}
