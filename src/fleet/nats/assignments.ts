import { OperatorError } from '../../model/operator-error.ts'
import type { Line } from '../../host/nats/line.ts'
import type { Key } from '../../host/signing/keys.ts'
import { type Assignment, openAssignment, signAssignment } from './assignment.ts'
import { bundledPolicy } from './bundled-policy.ts'
import { storeMessage } from './jetstream.ts'
import { valueOfJson } from './json.ts'
import { type Addressee, BUCKETS, readAddressee, valueSubject } from './names.ts'
import { fetchBundle } from './stored-policies.ts'
import { streamMessages, type StreamRange, streamRange } from './stream-messages.ts'

/** A stored assignment: its content if signed by the operator, otherwise the reason why hosts reject it. */
export interface StoredAssignment {
  readonly to: Addressee
  readonly storedAtMs: number
  /** True if the assignment was withdrawn. */
  readonly isWithdrawn: boolean
  readonly said: { readonly assignment: Assignment } | { readonly message: string }
}

export const ASSIGNMENTS_STREAM: string = `KV_${BUCKETS.assignments}`

/**
 * All stored assignments, up to 64 per addressee, in order of arrival, and the last sequence number. Throws an
 * `OperatorError`.
 */
export async function storedAssignments(
  line: Line,
  key: Key,
): Promise<{ readonly stored: readonly StoredAssignment[]; readonly last: number }> {
  const range = await streamRange(line, ASSIGNMENTS_STREAM)
  const stored: StoredAssignment[] = []
  for await (const { sequence: _number, ...each } of assignmentsIn(line, key, range)) stored.push(each)
  return { stored, last: range.last }
}

/** Assignments in a range of sequence numbers. Throws an `OperatorError`. */
export async function* assignmentsIn(
  line: Line,
  key: Key,
  range: StreamRange,
): AsyncGenerator<StoredAssignment & { readonly sequence: number }> {
  for await (const message of streamMessages(line, ASSIGNMENTS_STREAM, range)) {
    const { sequence, subject, storedAtMs, body, headers } = message
    const to = readAddressee(subject.slice(valueSubject(BUCKETS.assignments, '').length))
    if (to === undefined) continue
    const isWithdrawn = /^KV-Operation:/m.test(headers)
    yield { sequence, to, storedAtMs, isWithdrawn, said: isWithdrawn ? WITHDRAWN : whatCounts(to, body, key) }
  }
}

const WITHDRAWN = { message: 'it was withdrawn' }

function whatCounts(to: Addressee, body: Uint8Array, key: Key): StoredAssignment['said'] {
  const opened = openAssignment(valueOfJson(body), key)
  if ('message' in opened || opened.assignment.to === to) return opened
  return { message: `it is for ${opened.assignment.to}` }
}

/** Last assignment of each addressee, by name, without withdrawn ones. */
export function lastOfEach(stored: readonly StoredAssignment[]): readonly StoredAssignment[] {
  const last = new Map(stored.map((each) => [each.to, each]))
  return [...last.values()]
    .filter(({ isWithdrawn }) => !isWithdrawn)
    .toSorted((left, right) => (left.to < right.to ? -1 : 1))
}

/** An assignment to create, with the digests of its bundles. */
export interface Assigning extends Pick<Assignment, 'to' | 'interval' | 'reason' | 'author'> {
  readonly bundles: readonly string[]
}

/** Retries after concurrent writes. */
const TRIES = 5

/**
 * Signs an assignment of stored bundles with a version above all others and above `atLeast`, and stores it. Throws an
 * `OperatorError`; nothing is then assigned.
 */
export async function assign(
  line: Line,
  key: Key,
  { bundles, to, ...about }: Assigning & { readonly atLeast: number },
): Promise<Assignment> {
  const policies = await policiesOf(line, bundles)
  const { atLeast, ...said } = about
  for (let tries = 0; tries < TRIES; tries++) {
    const { stored, last } = await storedAssignments(line, key)
    const versions = stored.map((each) => ('assignment' in each.said ? each.said.assignment.version : 0))
    const version = 1 + Math.max(atLeast, ...versions)
    const envelope = signAssignment({ to, version, policies, ...said, at: new Date().toISOString() }, key)
    const opened = openAssignment(envelope, key)
    if ('message' in opened) throw new OperatorError(`no host would accept this assignment: ${opened.message}`)
    const body = JSON.stringify(envelope)
    if (await storeMessage(line, valueSubject(BUCKETS.assignments, to), { body, last })) return opened.assignment
  }
  throw new OperatorError('too many concurrent assignments: nothing was assigned, try again')
}

async function policiesOf(line: Line, bundles: readonly string[]): Promise<Assignment['policies']> {
  const policies: Assignment['policies'][number][] = []
  for (const digest of bundles) {
    const { name } = await bundledPolicy(await fetchBundle(line, digest))
    if (policies.some((policy) => policy.name === name))
      throw new OperatorError(`two of the bundles contain a policy named ${name}: names must be unique on a host`)
    policies.push({ name, sha256: digest })
  }
  const [first, ...others] = policies
  if (first === undefined) throw new OperatorError('an assignment needs at least one policy')
  return [first, ...others]
}
