import { OperatorError } from '../../core/operator-error.ts'
import type { Line } from '../../nats/line.ts'
import type { Envelope } from '../../signing/envelope.ts'
import { readRollout } from '../rollout/read-rollout.ts'
import { directionOf, type Rollout, type Target } from '../rollout/state.ts'
import { lastValue, storeMessage } from './jetstream.ts'
import { type Addressee, BUCKETS, ROLLOUT_KEY, valueSubject } from './names.ts'

/** The rollout of a fleet as the server has it. */
export interface StoredRollout {
  /** Undefined where there was none yet. */
  readonly rollout: Rollout | undefined
  /** What whoever changes it has seen, 0 where there is none. */
  readonly sequence: number
}

/** Reads it. Throws an `OperatorError` where that cannot be told, or what the server has is none. */
export async function storedRollout(line: Line): Promise<StoredRollout> {
  const found = await lastValue(line, BUCKETS.rollouts, ROLLOUT_KEY)
  if (found === undefined) return { rollout: undefined, sequence: 0 }
  const rollout = readRollout(found.bytes)
  if (rollout !== undefined) return { rollout, sequence: found.sequence }
  throw new OperatorError(
    'what the server has as the rollout is none, or one of a newer driftgate: nothing is released until it is mended',
  )
}

/** Puts a rollout in the place of the one that was seen; false where somebody has changed that. Throws an `OperatorError`. */
export async function storeRollout(line: Line, rollout: Rollout, after: number): Promise<boolean> {
  const body = JSON.stringify(rollout)
  if (Buffer.byteLength(body) > line.largestBytes)
    throw new OperatorError(
      `the rollout reaches its hosts by too many addresses for one message of ${line.largestBytes} bytes: give hosts rings with ` +
        '"driftgate fleet enrol --ring" in the place of shares',
    )
  return await storeMessage(line, valueSubject(BUCKETS.rollouts, ROLLOUT_KEY), { body, after })
}

/** Keeps what is signed for an address until it is released. Throws an `OperatorError`. */
export async function keepSigned(line: Line, signed: Signed, envelope: Envelope): Promise<void> {
  await storeMessage(line, valueSubject(BUCKETS.rollouts, keyOf(signed)), { body: JSON.stringify(envelope) })
}

/** Which signed assignment. */
interface Signed {
  readonly id: string
  readonly direction: 'go' | 'back'
  readonly to: Addressee
}

function keyOf({ id, direction, to }: Signed): string {
  return `${id}.${direction}.${to}`
}

/** How many addresses are looked at at a time. */
const AT_ONCE = 32

/**
 * Gives every address what was signed for it and it is to have by now, and the addresses that have something later, which are left as
 * they are. Doing it again changes nothing, so whoever was killed in between goes on. Throws an `OperatorError`.
 */
export async function bringUp(line: Line, rollout: Rollout): Promise<readonly Addressee[]> {
  const due = rollout.rings.flatMap((ring) => {
    const direction = directionOf(rollout, ring)
    return direction === undefined ? [] : ring.targets.map((target) => ({ ...target, direction }))
  })
  const later: Addressee[] = []
  for (let begin = 0; begin < due.length; begin += AT_ONCE) {
    const part = due.slice(begin, begin + AT_ONCE)
    const came = await Promise.all(part.map((target) => bringOne(line, rollout, target)))
    for (const [at, { to }] of part.entries()) if (came[at] === 'later') later.push(to)
  }
  return later
}

type Due = Pick<Target, 'to'> & Pick<Signed, 'direction'>

/** How often somebody else may come first. */
const TRIES = 3

async function bringOne(line: Line, { id, version }: Rollout, { to, direction }: Due): Promise<'has it' | 'later'> {
  const signed = await lastValue(line, BUCKETS.rollouts, keyOf({ id, direction, to }))
  if (signed === undefined)
    throw new OperatorError(
      `what was signed for ${to} is not on the server any more: take the rollout back, and begin anew`,
    )
  const own = direction === 'back' ? version + 1 : version
  for (let tries = 0; tries < TRIES; tries++) {
    const current = await lastValue(line, BUCKETS.assignments, to)
    if (current !== undefined && Buffer.compare(current.bytes, signed.bytes) === 0) return 'has it'
    if (current !== undefined && claimedVersion(current.bytes) > own) return 'later'
    const after = current === undefined ? {} : { after: current.sequence }
    if (await storeMessage(line, valueSubject(BUCKETS.assignments, to), { body: signed.bytes, ...after }))
      return 'has it'
  }
  throw new OperatorError(`somebody else writes the assignment of ${to} all the time`)
}

/** The version that an assignment claims, 0 for what is none. Hosts verify it; here it only says whose turn it is. */
function claimedVersion(bytes: Uint8Array): number {
  try {
    const envelope: { readonly payload?: unknown } = JSON.parse(Buffer.from(bytes).toString('utf8'))
    const payload = Buffer.from(String(envelope.payload), 'base64').toString('utf8')
    const { version }: { readonly version?: unknown } = JSON.parse(payload)
    return typeof version === 'number' ? version : 0
  } catch {
    return 0
  }
}
