import { randomUUID } from 'node:crypto'
import { globMatcher } from '../../model/selection.ts'
import { OperatorError } from '../../model/operator-error.ts'
import type { Envelope } from '../../host/signing/envelope.ts'
import { readPrivateKey } from '../../host/signing/keys.ts'
import { rosterIn } from '../load-roster.ts'
import { keysOf } from '../nats/host-keys.ts'
import type { AssignedPolicy } from '../nats/assignment.ts'
import { lastOfEach, type StoredAssignment } from '../nats/assignments.ts'
import { bundledPolicy } from '../nats/bundled-policy.ts'
import { type Login, loginOfContext } from '../nats/connect.ts'
import { fleetHome } from '../nats/home.ts'
import { asOperator } from '../nats/operator.ts'
import { fetchBundle } from '../nats/stored-policies.ts'
import type { Roster } from '../roster.ts'
import { type Fix, LARGEST_ORDER_BYTES, type Order, readOrder, signOrder } from './order.ts'
import type { Run } from '../../model/run.ts'
import { natsSource } from '../nats/nats-source.ts'
import type { Keys } from '../nats/read-message.ts'
import { canonicalJson } from '../../model/canonical-json.ts'
import { findingOf, followerOf, isFollower, isRepairable, resourceOf } from './finding.ts'

/** Scope of an order. */
interface Choice {
  /** Policy id. */
  readonly policy: string
  /** True if the operator selected the resource. */
  readonly isChosen: (resource: string) => boolean
}

/** Scope of an order. */
export interface Drafted extends Pick<Order, 'reason' | 'author' | 'notBefore' | 'expires'> {
  readonly hosts: readonly string[]
  /** Policy id; absent if the hosts have only one policy. */
  readonly policy?: string
  /** Resource ids, with `*` and `?`; empty for all fixable resources. */
  readonly resources: readonly string[]
}

/**
 * Signs an order, from the last reports of hosts, for approval. Sends nothing. Throws an `OperatorError` if a host has
 * nothing to fix, or has not reported with its assignment.
 */
export async function draftOrder(
  directory: string,
  { hosts, policy, resources, ...about }: Drafted,
): Promise<Envelope> {
  const home = fleetHome(directory)
  const roster = rosterIn(home.roster)
  const { assigned, manifestSha256 } = await asOperator(directory, async ({ line, assignments }) => {
    const named = commonPolicy(hosts, policy, { roster, stored: await assignments() })
    const bundle = await bundledPolicy(await fetchBundle(line, named.sha256))
    return { assigned: named, manifestSha256: bundle.manifestSha256 }
  })
  const runs = await lastRunsOf(loginOfContext(home.context), keysOf(roster), hosts)
  for (const [host, run] of runs) {
    const reported = run.policies.find(({ id }) => id === assigned.name)
    if (reported?.sha256 !== manifestSha256)
      throw new OperatorError(`${host} has not reported with its assigned ${assigned.name} yet: wait for its next run`)
  }
  const matchers = resources.map(globMatcher)
  const isChosen = (resource: string): boolean => matchers.length === 0 || matchers.some((matches) => matches(resource))
  const fixes = fixesOf(runs, { policy: assigned.name, isChosen })
  const order = { id: randomUUID(), policy: assigned, fixes, ...about, at: new Date().toISOString() }
  const envelope = signOrder(order, readPrivateKey(home.policyKey))
  const read = readOrder(envelope)
  if ('order' in read) return envelope
  throw new OperatorError(
    envelope.payload.length > LARGEST_ORDER_BYTES
      ? 'the order is too large: draft several, for fewer hosts or resources'
      : `no host would accept this order: ${read.message}`,
  )
}

interface Known {
  readonly roster: Roster
  readonly stored: readonly StoredAssignment[]
}

/** Policy that is assigned to all hosts with the same text. */
function commonPolicy(hosts: readonly string[], name: string | undefined, { roster, stored }: Known): AssignedPolicy {
  const last = new Map(lastOfEach(stored).map((each) => [each.to, each.said]))
  let common: AssignedPolicy | undefined
  for (const host of hosts) {
    const ring = roster.hosts.get(host)?.ring
    if (ring === undefined) throw new OperatorError(`${host} is not a host with a ring in the roster`)
    const said = last.get(`host.${host}`) ?? last.get(`ring.${ring}`)
    const policies = said !== undefined && 'assignment' in said ? said.assignment.policies : []
    const [first, ...others] = policies.filter((policy) => name === undefined || policy.name === name)
    if (first === undefined)
      throw new OperatorError(`${host} is assigned no policy${name === undefined ? '' : ` ${name}`}`)
    if (others.length > 0) throw new OperatorError(`${host} is assigned several policies: select one with --policy ID`)
    if (common !== undefined && common.sha256 !== first.sha256)
      throw new OperatorError(`${hosts[0]} and ${host} are assigned different policies: draft an order for each`)
    common = first
  }
  if (common === undefined) throw new OperatorError('an order needs at least one host')
  return common
}

/**
 * Last signed run of each host on the server. Throws an `OperatorError` if a host has no valid run: an unknown state
 * cannot be approved.
 */
async function lastRunsOf(login: Login, keys: Keys, hosts: readonly string[]): Promise<ReadonlyMap<string, Run>> {
  const last = new Map<string, Run>()
  const source = natsSource(login, keys)
  const add = (
    { host, startedAtMs, isPerformed }: { host: string; startedAtMs: number; isPerformed: boolean },
    run?: Run,
  ): void => {
    const known = last.get(host)
    if (run === undefined || !isPerformed || (known !== undefined && Date.parse(known.run.startedAt) > startedAtMs))
      return
    last.set(host, run)
  }
  try {
    const unusable = await source.news({ add, still: () => undefined, gone: () => undefined }, 'everywhere')
    const doubt = unusable.find(
      ({ isForged, hosts: about }) => isForged === true && about.some((host) => hosts.includes(host)),
    )
    if (doubt !== undefined) throw new OperatorError(`${doubt.place} is not trusted: ${doubt.reason}`)
  } finally {
    await source.close()
  }
  return new Map(
    hosts.map((host) => {
      const run = last.get(host)
      if (run === undefined) throw new OperatorError(`no report from ${host}: its drift is unknown`)
      return [host, run]
    }),
  )
}

/**
 * Fixes for the last runs of hosts; hosts with the same findings are grouped. Throws an `OperatorError` if a host has
 * nothing to fix, since its approval would be pointless.
 */
function fixesOf(runs: ReadonlyMap<string, Run>, choice: Choice): Order['fixes'] {
  const alike = new Map<string, Fix & { readonly hosts: string[] }>()
  for (const [host, run] of runs) {
    const results = run.policies.filter(({ id }) => id === choice.policy).flatMap(({ resources }) => resources)
    const chosen = results.filter((result) => isRepairable(result) && choice.isChosen(resourceOf(result)))
    const findings = chosen.map(findingOf)
    const follows = results.filter(isFollower).map(followerOf)
    if (findings.length === 0)
      throw new OperatorError(`${host} has no such drift: its last run found no matching drift in ${choice.policy}`)
    const key = canonicalJson([findings, follows])
    const known = alike.get(key) ?? { hosts: [], findings, follows }
    known.hosts.push(host)
    alike.set(key, known)
  }
  const [first, ...others]: readonly Fix[] = [...alike.values()]
  if (first === undefined) throw new OperatorError('an order needs at least one host')
  return [first, ...others]
}
