import { randomUUID } from 'node:crypto'
import { defined } from '../../model/defined.ts'
import { OperatorError } from '../../model/operator-error.ts'
import type { Line } from '../../host/nats/line.ts'
import type { Key } from '../../host/signing/keys.ts'
import { type Assignment, signAssignment } from '../nats/assignment.ts'
import { lastOfEach, type StoredAssignment } from '../nats/assignments.ts'
import { type BundledPolicy, bundledPolicy } from '../nats/bundled-policy.ts'
import type { Addressee } from '../nats/names.ts'
import { keepKey, keepSigned, storedRollout, storeRollout } from '../nats/rollouts.ts'
import { fetchBundle } from '../nats/stored-policies.ts'
import type { Roster } from '../roster.ts'
import { type PlacedRing, placeHosts, type RingShare } from './rings.ts'
import { isOver, newRollout, type Rollout, type RolloutRing, type Target } from './state.ts'

/** A rollout requested by an operator. */
export interface Desired extends Pick<Rollout, 'soak' | 'stop' | 'reason' | 'author'> {
  /** Digests of stored bundles. */
  readonly bundles: readonly string[]
  readonly rings: readonly RingShare[]
}

/** Inputs of a new rollout. */
export interface Beginning {
  readonly line: Line
  readonly roster: Roster
  /** Private key that signs policies. */
  readonly key: Key
  readonly stored: readonly StoredAssignment[]
  /** Lower bound for the version. */
  readonly atLeast: number
}

export interface Begun {
  readonly rollout: Rollout
  readonly rings: readonly PlacedRing[]
}

/**
 * Signs and stores the assignments of every ring and those of a rollback, and starts the rollout. This releases
 * nothing; the assignments of an interrupted start are never used. Throws an `OperatorError`.
 */
export async function beginRollout(wanted: Desired, beginning: Beginning): Promise<Begun> {
  const { line, stored, atLeast } = beginning
  const assigned = assignedIn(lastOfEach(stored))
  const { rollout: before, sequence } = await storedRollout(line)
  if (before !== undefined && !isOver(before)) throw new OperatorError(notOver(before))
  const members = membersOf(beginning.roster)
  const rings = placeMembers(wanted.rings, members, assigned)
  const bundled = createReader(line)
  const policies = await policiesOf(wanted.bundles, bundled)
  const [first, ...others] = policies.map(({ name, sha256 }) => ({ name, sha256 }))
  if (first === undefined) throw new OperatorError('a rollout needs a policy')
  const signing: Signing = {
    line,
    key: beginning.key,
    assigned,
    wanted,
    id: randomUUID(),
    at: new Date().toISOString(),
    version: 1 + Math.max(atLeast, before === undefined ? 0 : before.version + 1, ...versionsOf(stored)),
    ringOf: new Map(members.map(({ name, ring }) => [`host.${name}`, `ring.${ring}`])),
    policies: [first, ...others],
    bundled,
  }
  await keepKey(line, signing.id, signing.key)
  const signed: RolloutRing[] = []
  for (const { name, to } of rings) {
    const targets: Target[] = []
    for (const address of to) targets.push(await signFor(address, signing))
    signed.push({ name, targets })
  }
  const { id, version, at } = signing
  const { soak, stop, reason, author } = wanted
  const rollout = newRollout({ id, policies, reason, author, soak, stop, version, rings: signed }, at)
  if (!(await storeRollout(line, rollout, sequence)))
    throw new OperatorError('another rollout started at the same time: see "driftgate fleet rollout"')
  return { rollout, rings }
}

async function policiesOf(bundles: readonly string[], bundled: Signing['bundled']): Promise<Rollout['policies']> {
  const policies = new Map<string, Rollout['policies'][number]>()
  for (const sha256 of bundles) {
    const { name, manifestSha256: text } = await bundled(sha256)
    if (policies.has(name)) throw new OperatorError(`two of the bundles contain policy ${name}`)
    policies.set(name, { name, sha256, text })
  }
  return [...policies.values()]
}

function notOver({ reason, phase }: Rollout): string {
  return `the rollout "${reason}" has not ended, it is ${phase}: "driftgate fleet rollout back" or "finish" ends it`
}

type Member = Parameters<typeof placeHosts>[1][number]

/** Reachable hosts: with a key and a ring. */
function membersOf(roster: Roster): readonly Member[] {
  return [...roster.hosts.values()].flatMap(({ name, ring, key, retired }) =>
    ring === undefined || key === undefined || retired !== undefined ? [] : [{ name, ring }],
  )
}

function placeMembers(
  shares: readonly RingShare[],
  members: readonly Member[],
  assigned: ReadonlyMap<Addressee, Assignment>,
): readonly PlacedRing[] {
  const own = new Set(members.map(({ name }) => name).filter((name) => assigned.has(`host.${name}`)))
  const { rings, empty } = placeHosts(shares, members, own)
  if (members.length === 0)
    throw new OperatorError('no host of the roster has a key and a ring: "driftgate fleet enrol" invites hosts')
  const [first] = empty
  if (first === undefined) return rings
  throw new OperatorError(
    `the roster has no host in ring ${first}: give it a share such as ${first}:1%, or leave it out`,
  )
}

/** Hosts reject unsigned assignments. */
function assignedIn(stored: readonly StoredAssignment[]): ReadonlyMap<Addressee, Assignment> {
  return new Map(stored.flatMap(({ to, said }) => ('assignment' in said ? [[to, said.assignment] as const] : [])))
}

function versionsOf(stored: readonly StoredAssignment[]): readonly number[] {
  return stored.map(({ said }) => ('assignment' in said ? said.assignment.version : 0))
}

interface Signing extends Pick<Beginning, 'line' | 'key'> {
  readonly assigned: ReadonlyMap<Addressee, Assignment>
  readonly wanted: Desired
  readonly id: string
  readonly at: string
  readonly version: number
  /** Ring address of each host address, which applies to a host without its own assignment. */
  readonly ringOf: ReadonlyMap<Addressee, Addressee>
  readonly policies: Assignment['policies']
  readonly bundled: (sha256: string) => Promise<BundledPolicy>
}

async function signFor(to: Addressee, signing: Signing): Promise<Target> {
  const { line, assigned, key, policies, id, at, version } = signing
  const { author, reason } = signing.wanted
  const old = assigned.get(to) ?? assigned.get(signing.ringOf.get(to) ?? to)
  const interval = defined({ interval: old?.interval })
  const go = { to, version, policies, ...interval, reason, author, at }
  await keepSigned(line, { id, direction: 'go', to }, signAssignment(go, key))
  if (old === undefined) return { to, before: [], hasBack: false }
  const back = { ...go, version: version + 1, policies: old.policies, reason: `back from: ${reason}` }
  await keepSigned(line, { id, direction: 'back', to }, signAssignment(back, key))
  const before: string[] = []
  for (const { sha256 } of old.policies) before.push((await signing.bundled(sha256)).manifestSha256)
  return { to, before, hasBack: true }
}

/** Reads each bundle once. */
function createReader(line: Line): Signing['bundled'] {
  const known = new Map<string, BundledPolicy>()
  return async (sha256) => {
    const policy = known.get(sha256) ?? (await bundledPolicy(await fetchBundle(line, sha256)))
    known.set(sha256, policy)
    return policy
  }
}
