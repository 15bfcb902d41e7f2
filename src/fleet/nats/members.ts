import { randomUUID } from 'node:crypto'
import { isMap, isScalar, isSeq, parseDocument } from 'yaml'
import { defined } from '../../model/defined.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { replaceFile } from '../../host/live/own-file.ts'
import { readWhole } from '../../host/live/read-whole.ts'
import { readApprovers } from '../orders/approvers.ts'
import { rosterIn } from '../load-roster.ts'
import type { Roster, RosterHost } from '../roster.ts'
import {
  type Acceptance,
  type Invitation,
  type JoinToken,
  makeSecret,
  type Pending,
  type PendingToken,
} from './enrolment.ts'
import { fleetHome } from './home.ts'
import { noteForLater } from './operator.ts'
import { keepPending, keepToken, openPending } from './pending.ts'
import { hostsConfig } from './server-config.ts'

const LARGEST_BYTES = 64 * 1024 * 1024

/** Host to invite, and the validity of the invitation in milliseconds. */
export type Invited = Pick<Invitation, 'name' | 'ring' | 'interval'> &
  Pick<Pending, 'labels'> & { readonly validMs: number }

/** Creates an invitation, which replaces an earlier unanswered one. Throws an `OperatorError`. */
export function invite(directory: string, invited: Invited): Invitation {
  const [outcome] = inviteAll(directory, [invited])
  if (outcome === undefined || 'message' in outcome) throw new OperatorError(outcome?.message ?? 'nothing to invite')
  return outcome
}

/** A host that was not enrolled, with the reason. */
export interface NotEnrolled {
  readonly name: string
  readonly message: string
  /** True if it is already a member. */
  readonly isMember?: true
}

/** Invites several hosts, with a result for each; reads the fleet files once. Throws an `OperatorError`. */
export function inviteAll(directory: string, invited: readonly Invited[]): readonly (Invitation | NotEnrolled)[] {
  const home = fleetHome(directory)
  const { hosts } = rosterOf(directory)
  const trusted = trustedBy(directory)
  return invited.map(({ name, ring, interval, validMs, labels }) => {
    const message = whyMember(hosts.get(name))
    if (message !== undefined) return { name, message, isMember: true }
    const secret = makeSecret()
    keepPending(home.pending, { name, ring, interval, secret, untilMs: Date.now() + validMs, ...defined({ labels }) })
    return { name, ring, interval, secret, ...trusted }
  })
}

/** Creates a token with which a number of hosts matching the pattern may join. Throws an `OperatorError`. */
export function inviteMany(
  directory: string,
  { pattern, uses, ring, interval, validMs }: Omit<Invited, 'name' | 'labels'> & Pick<PendingToken, 'pattern' | 'uses'>,
): JoinToken {
  const home = fleetHome(directory)
  const trusted = trustedBy(directory)
  const secret = makeSecret()
  const token = { pattern, uses, ring, interval, secret, untilMs: Date.now() + validMs }
  keepToken(home.pending, randomUUID(), token)
  return { pattern, ring, interval, secret, ...trusted }
}

function trustedBy(directory: string): Omit<Invitation, 'name' | 'ring' | 'interval' | 'secret'> {
  const home = fleetHome(directory)
  const context: { readonly url?: unknown } = JSON.parse(read(home.context))
  if (typeof context.url !== 'string') throw new OperatorError(`${home.context} names no server: "url" is missing`)
  const approvers = readApprovers(home.approvers) && read(home.approvers)
  const authority = read(home.authority)
  return { server: context.url, authority, policyKey: read(home.publicPolicyKey), ...defined({ approvers }) }
}

function whyMember(host: RosterHost | undefined): string | undefined {
  if (host?.key === undefined || host.revoked !== undefined) return undefined
  return `${host.name} already has a key: remove "key" in the roster to give it a new one`
}

/**
 * Adds answered hosts to the roster and the server configuration, each written once. Returns for each answer the
 * invitation, now used up, or the reason for a refusal. Throws an `OperatorError` if the files cannot be written.
 */
export function acceptAll(
  directory: string,
  answers: readonly Acceptance[],
  author: string,
): readonly (Pending | NotEnrolled)[] {
  const home = fleetHome(directory)
  const { hosts } = rosterOf(directory)
  const invitations = openPending(home.pending)
  const owners = ownersOf(hosts)
  const members = new Set([...hosts.values()].flatMap((host) => (whyMember(host) === undefined ? [] : [host.name])))
  const taken: { readonly answer: Acceptance; readonly pending: Pending; readonly settle: () => void }[] = []
  const outcomes = answers.map((answer): Pending | NotEnrolled => {
    const { name, key } = answer
    const message = members.has(name) ? (whyMember(hosts.get(name)) ?? `${name} has answered twice`) : undefined
    const owner = owners.get(key)
    if (message !== undefined) return { name, message }
    if (owner !== undefined)
      return { name, message: `${name} answered with the key of ${owner}: each host needs its own key` }
    try {
      const { pending, settle } = invitations.find(answer, Date.now())
      owners.set(key, name)
      members.add(name)
      taken.push({ answer, pending, settle })
      return pending
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      return { name, message: error.message }
    }
  })
  if (taken.length === 0) return outcomes
  for (const { answer, pending } of taken) {
    const text = `took it into ring ${pending.ring} with the key ${answer.key}`
    noteForLater(directory, { act: 'enrol', author, about: answer.name, text })
  }
  // A revocation of an earlier key does not apply to the new one.
  const changes = taken.map(({ answer: { name, key }, pending: { ring, interval, labels } }) => {
    const { key: last, next, former = [] } = hosts.get(name) ?? {}
    const before = [...former, ...[last, next].flatMap((each) => (each === undefined || each === key ? [] : [each]))]
    const ended = before.length === 0 ? undefined : before
    const values = { ring, interval, key, next: undefined, former: ended, revoked: undefined, reason: undefined }
    return [name, { values, ...defined({ labels }) }] as const
  })
  changeMembers(home.roster, new Map(changes))
  writeHosts(directory)
  for (const { settle } of taken) settle()
  return outcomes
}

/** Owner of each key in a roster. */
export function ownersOf(hosts: Roster['hosts']): Map<string, string> {
  return new Map(
    [...hosts.values()].flatMap(({ name, key, next }) => [key, next].flatMap((each) => (each ? [[each, name]] : []))),
  )
}

/** Changes to a host in the roster: undefined members are removed. */
export interface RosterChange {
  readonly values: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly labels?: Pending['labels']
}

/** Changes one host in the roster; keeps the rest, comments included. */
export function changeMember(file: string, name: string, values: RosterChange['values']): void {
  changeMembers(file, new Map([[name, { values }]]))
}

/** Changes several hosts in the roster, which is read and written once. */
export function changeMembers(file: string, changes: ReadonlyMap<string, RosterChange>): void {
  const document = parseDocument(read(file))
  const hosts = document.get('hosts')
  if (!isSeq(hosts)) throw new OperatorError(`the roster ${file} cannot be used: hosts must be a list`)
  hosts.flow = false
  const places = new Map(
    hosts.items.map((host, index) => [isMap(host) ? host.get('name') : isScalar(host) ? host.value : '', index]),
  )
  for (const [name, { values, labels = {} }] of changes) {
    const index = places.get(name)
    const found = index === undefined ? undefined : hosts.items[index]
    const entry = isMap(found) ? found : document.createNode({ name })
    for (const [member, value] of Object.entries(values)) {
      if (value === undefined) entry.delete(member)
      else entry.set(member, value)
    }
    for (const [label, value] of Object.entries(labels)) entry.setIn(['labels', label], value)
    if (index === undefined) hosts.add(entry)
    else hosts.set(index, entry)
  }
  replaceFile(file, document.toString(), { mode: 0o644 })
}

/** Writes the users of the server, which reads them on reload. */
export function writeHosts(directory: string): void {
  const home = fleetHome(directory)
  const members = [...rosterOf(directory).hosts.values()].filter(isMember)
  const users = members.flatMap(({ name, key, next }) =>
    [key, next].flatMap((each) => (each ? [{ name, key: each }] : [])),
  )
  replaceFile(home.hosts, hostsConfig(users), { mode: 0o644 })
}

/** True if the server accepts the host. */
export function isMember({ key, retired, revoked }: RosterHost): boolean {
  return key !== undefined && retired === undefined && revoked === undefined
}

function rosterOf(directory: string): Roster {
  return rosterIn(fleetHome(directory).roster)
}

function read(path: string): string {
  try {
    return readWhole(path, LARGEST_BYTES).toString('utf8')
  } catch (error) {
    throw new OperatorError(`cannot read ${path}: ${systemReason(error)}; "driftgate fleet init" creates a fleet`, {
      cause: error,
    })
  }
}
