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

/** An assignment as the server has it: what the operator has signed, or why no host takes it. */
export interface StoredAssignment {
  readonly to: Addressee
  readonly storedAtMs: number
  /** Whether the addressee has no assignment of its own any more. */
  readonly isWithdrawn: boolean
  readonly said: { readonly assignment: Assignment } | { readonly message: string }
}

/** Where they are stored. */
export const ASSIGNMENTS_STREAM: string = `KV_${BUCKETS.assignments}`

/**
 * All assignments that the server has, of each addressee the last 64, in the order in which they came, and the number of the last message.
 * Throws an `OperatorError`.
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

/** Those with these numbers, each with its own. Throws an `OperatorError`. */
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

/** Of each addressee the last one, by name, unless that was withdrawn. */
export function lastOfEach(stored: readonly StoredAssignment[]): readonly StoredAssignment[] {
  const last = new Map(stored.map((each) => [each.to, each]))
  return [...last.values()]
    .filter(({ isWithdrawn }) => !isWithdrawn)
    .toSorted((left, right) => (left.to < right.to ? -1 : 1))
}

/** What is to be assigned: bundles by their digests. */
export interface Assigning extends Pick<Assignment, 'to' | 'interval' | 'reason' | 'author'> {
  readonly bundles: readonly string[]
}

/** How often another writer may be faster. */
const TRIES = 5

/**
 * Signs an assignment of bundles that are on the server, all of them, with a version above every other one, and puts it there.
 * `atLeast` is what the version has to be above besides. Throws an `OperatorError`, and has assigned nothing then.
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
    if ('message' in opened) throw new OperatorError(`no host would take this assignment: ${opened.message}`)
    const body = JSON.stringify(envelope)
    if (await storeMessage(line, valueSubject(BUCKETS.assignments, to), { body, last })) return opened.assignment
  }
  throw new OperatorError('others assign all the time: nothing was assigned, try again')
}

async function policiesOf(line: Line, bundles: readonly string[]): Promise<Assignment['policies']> {
  const policies: Assignment['policies'][number][] = []
  for (const digest of bundles) {
    const { name } = await bundledPolicy(await fetchBundle(line, digest))
    if (policies.some((policy) => policy.name === name))
      throw new OperatorError(`two of the bundles hold a policy called ${name}: a host has one of each name`)
    policies.push({ name, sha256: digest })
  }
  const [first, ...others] = policies
  if (first === undefined) throw new OperatorError('an assignment names at least one policy')
  return [first, ...others]
}
