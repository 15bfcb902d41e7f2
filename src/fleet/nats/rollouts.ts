import { createPublicKey } from 'node:crypto'
import { OperatorError } from '../../model/operator-error.ts'
import type { Line } from '../../host/nats/line.ts'
import type { Envelope } from '../../host/signing/envelope.ts'
import { type Key, publicKeyOf } from '../../host/signing/keys.ts'
import { readRollout } from '../rollout/read-rollout.ts'
import { directionOf, type Rollout, type Target } from '../rollout/state.ts'
import { openAssignment } from './assignment.ts'
import type { Login } from './connect.ts'
import { lastValue, storeMessage } from './jetstream.ts'
import { valueOfJson } from './json.ts'
import { lastingLine } from './lasting-line.ts'
import { type Addressee, BUCKETS, ROLLOUT_KEY, valueSubject } from './names.ts'

/** The rollout stored on the server. */
export interface StoredRollout {
  /** Undefined before the first rollout. */
  readonly rollout: Rollout | undefined
  /** Sequence number of the stored value, 0 if absent. */
  readonly sequence: number
}

/** Reads the rollout. Throws an `OperatorError` if it cannot be read or is invalid. */
export async function storedRollout(line: Line): Promise<StoredRollout> {
  const found = await lastValue(line, BUCKETS.rollouts, ROLLOUT_KEY)
  if (found === undefined) return { rollout: undefined, sequence: 0 }
  const rollout = readRollout(found.bytes)
  if (rollout !== undefined) return { rollout, sequence: found.sequence }
  throw new OperatorError(
    'the rollout on the server is invalid or from a newer version: nothing is released until it is corrected',
  )
}

/** Reads the rollout of a fleet. */
export interface RolloutReader {
  /** The rollout; undefined if absent or unknown, so that no exemption applies. */
  readonly read: () => Promise<Rollout | undefined>
  readonly close: () => Promise<void>
}

/** Connects on the first read, and again after a disconnection. */
export function rolloutReader(login: Login): RolloutReader {
  const { follow, close } = lastingLine(login)
  return {
    async read() {
      let rollout: Rollout | undefined
      await follow(async (line) => {
        rollout = (await storedRollout(line)).rollout
      })
      return rollout
    },
    close,
  }
}

/** Replaces the rollout that was read; false if it was changed meanwhile. Throws an `OperatorError`. */
export async function storeRollout(line: Line, rollout: Rollout, after: number): Promise<boolean> {
  const body = JSON.stringify(rollout)
  if (Buffer.byteLength(body) > line.largestBytes)
    throw new OperatorError(
      `the rollout reaches its hosts by too many addresses for one message of ${line.largestBytes} bytes: give hosts rings with ` +
        '"driftgate fleet enrol --ring" in the place of shares',
    )
  return await storeMessage(line, valueSubject(BUCKETS.rollouts, ROLLOUT_KEY), { body, after })
}

/** Stores a signed assignment until its release. Throws an `OperatorError`. */
export async function keepSigned(line: Line, signed: Signed, envelope: Envelope): Promise<void> {
  await storeMessage(line, valueSubject(BUCKETS.rollouts, keyOf(signed)), { body: JSON.stringify(envelope) })
}

/** Stores the public key that verifies the assignments of a rollout. Throws an `OperatorError`. */
export async function keepKey(line: Line, id: string, { key }: Key): Promise<void> {
  const body = createPublicKey(key).export({ type: 'spki', format: 'pem' })
  await storeMessage(line, valueSubject(BUCKETS.rollouts, `${id}.key`), { body })
}

interface Signed {
  readonly id: string
  readonly direction: 'go' | 'back'
  readonly to: Addressee
}

function keyOf({ id, direction, to }: Signed): string {
  return `${id}.${direction}.${to}`
}

/** Number of addressees handled concurrently. */
const AT_ONCE = 32

/**
 * Releases the due signed assignments to all addressees; returns those that already have a later one, which stay
 * unchanged. Idempotent, so an interrupted process can continue. Throws an `OperatorError`.
 */
export async function bringUp(line: Line, rollout: Rollout): Promise<readonly Addressee[]> {
  const due = rollout.rings.flatMap((ring) => {
    const direction = directionOf(rollout, ring)
    return direction === undefined ? [] : ring.targets.map((target) => ({ ...target, direction }))
  })
  const key = due.length === 0 ? undefined : await keptKey(line, rollout.id)
  if (key === undefined) return []
  const later: Addressee[] = []
  for (let begin = 0; begin < due.length; begin += AT_ONCE) {
    const part = due.slice(begin, begin + AT_ONCE)
    const came = await Promise.all(part.map((target) => bringOne(line, { ...rollout, key }, target)))
    for (const [at, { to }] of part.entries()) if (came[at] === 'later') later.push(to)
  }
  return later
}

type Due = Pick<Target, 'to'> & Pick<Signed, 'direction'>

/** Retries after concurrent writes. */
const TRIES = 3

interface Signing extends Pick<Rollout, 'id' | 'version'> {
  readonly key: Key
}

async function bringOne(
  line: Line,
  { id, version, key }: Signing,
  { to, direction }: Due,
): Promise<'has it' | 'later'> {
  const signed = await lastValue(line, BUCKETS.rollouts, keyOf({ id, direction, to }))
  if (signed === undefined)
    throw new OperatorError(
      `the signed assignment for ${to} is no longer on the server: roll back, and start a new rollout`,
    )
  const own = direction === 'back' ? version + 1 : version
  for (let tries = 0; tries < TRIES; tries++) {
    const current = await lastValue(line, BUCKETS.assignments, to)
    if (current !== undefined && Buffer.compare(current.bytes, signed.bytes) === 0) return 'has it'
    if (current !== undefined && versionOf(current.bytes, to, key) > own) return 'later'
    const after = current === undefined ? {} : { after: current.sequence }
    if (await storeMessage(line, valueSubject(BUCKETS.assignments, to), { body: signed.bytes, ...after }))
      return 'has it'
  }
  throw new OperatorError(`cannot update the assignment of ${to}: too many concurrent writes`)
}

/** Version of an assignment; 0 if the operator has not signed it, so that it is always replaced. */
function versionOf(bytes: Uint8Array, to: Addressee, key: Key): number {
  const opened = openAssignment(valueOfJson(bytes), key)
  return 'assignment' in opened && opened.assignment.to === to ? opened.assignment.version : 0
}

/** Only the operator can write this key, by the configuration of the server. */
async function keptKey(line: Line, id: string): Promise<Key> {
  const found = await lastValue(line, BUCKETS.rollouts, `${id}.key`)
  if (found !== undefined) return publicKeyOf('the key of the rollout', Buffer.from(found.bytes))
  throw new OperatorError('the key that signed the rollout is no longer on the server: start a new rollout')
}
