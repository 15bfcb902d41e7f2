import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isMap, isScalar, isSeq, parseDocument } from 'yaml'
import { defined } from '../../core/defined.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { systemReason } from '../../core/system-reason.ts'
import { replaceFile } from '../../target/local/own-file.ts'
import { readWhole } from '../../target/local/read-whole.ts'
import { errorCode } from '../../target/local/system-error.ts'
import { readApprovers } from '../orders/approvers.ts'
import { rosterIn } from '../load-roster.ts'
import type { Roster, RosterHost } from '../roster.ts'
import { type Acceptance, isProved, type Invitation, makeSecret, type Pending } from './enrolment.ts'
import { fleetHome } from './home.ts'
import { noteForLater } from './operator.ts'
import { hostsConfig } from './server-config.ts'

const LARGEST_BYTES = 64 * 1024 * 1024

/** Whom the operator wants to invite, and for how long the invitation holds, in milliseconds. */
export type Invited = Pick<Invitation, 'name' | 'ring' | 'interval'> & { readonly validMs: number }

/** Makes an invitation, which takes the place of an earlier one that was not answered. Throws an `OperatorError`. */
export function invite(directory: string, { name, ring, interval, validMs }: Invited): Invitation {
  const home = fleetHome(directory)
  refuseMember(rosterOf(directory).hosts.get(name))
  const secret = makeSecret()
  const pending: Pending = { name, ring, interval, secret, untilMs: Date.now() + validMs }
  const context: { readonly url?: unknown } = JSON.parse(read(home.context))
  if (typeof context.url !== 'string') throw new OperatorError(`${home.context} names no server: "url" is missing`)
  const approvers = readApprovers(home.approvers) && read(home.approvers)
  const trusted = { authority: read(home.authority), policyKey: read(home.publicPolicyKey), ...defined({ approvers }) }
  put(home.pending, `${name}.json`, JSON.stringify(pending))
  return { name, ring, interval, secret, server: context.url, ...trusted }
}

function refuseMember(host: RosterHost | undefined): void {
  if (host?.key === undefined || host.revoked !== undefined) return
  throw new OperatorError(
    `${host.name} has a key already: remove "key" from it in the roster if it is to get another one`,
  )
}

/**
 * Puts a host that has answered into the roster and into the configuration of the server, and gives its invitation, which cannot be
 * answered again. Throws an `OperatorError` for an answer to nothing.
 */
export function accept(directory: string, answer: Acceptance, author: string): Pending {
  const home = fleetHome(directory)
  const roster = rosterOf(directory)
  refuseMember(roster.hosts.get(answer.name))
  const path = join(home.pending, `${answer.name}.json`)
  const pending = readPending(path, answer.name)
  if (!isProved(answer, pending, Date.now()))
    throw new OperatorError(
      `the answer of ${answer.name} does not fit its invitation, or came too late: invite it again with "driftgate fleet enrol"`,
    )
  const stolen = [...roster.hosts.values()].find(({ key }) => key === answer.key)
  if (stolen !== undefined)
    throw new OperatorError(`${answer.name} answered with the key of ${stolen.name}: a key belongs to one host`)
  const about = answer.name
  noteForLater(directory, {
    act: 'enrol',
    author,
    about,
    text: `took it into ring ${pending.ring} with the key ${answer.key}`,
  })
  const { ring, interval } = pending
  // What was said of the key before says nothing of this one.
  changeMember(home.roster, about, { ring, interval, key: answer.key, revoked: undefined, reason: undefined })
  writeHosts(directory)
  rmSync(path, { force: true })
  return pending
}

function readPending(path: string, name: string): Pending {
  try {
    return JSON.parse(readWhole(path, LARGEST_BYTES).toString('utf8'))
  } catch (error) {
    if (errorCode(error) !== 'ENOENT')
      throw new OperatorError(`cannot read ${path}: ${systemReason(error)}`, { cause: error })
    throw new OperatorError(
      `${name} was not invited, or has answered before: invite it with "driftgate fleet enrol ${name}"`,
    )
  }
}

/** Sets members of a host of the roster, and removes those that are undefined. Keeps the rest, comments included. */
export function changeMember(file: string, name: string, values: Readonly<Record<string, string | undefined>>): void {
  const document = parseDocument(read(file))
  const hosts = document.get('hosts')
  if (!isSeq(hosts)) throw new OperatorError(`the roster ${file} cannot be used: hosts must be a list`)
  hosts.flow = false
  const index = hosts.items.findIndex(
    (host) => (isMap(host) ? host.get('name') : isScalar(host) ? host.value : '') === name,
  )
  const found = hosts.items[index]
  const entry = isMap(found) ? found : document.createNode({ name })
  for (const [member, value] of Object.entries(values)) {
    if (value === undefined) entry.delete(member)
    else entry.set(member, value)
  }
  if (index < 0) hosts.add(entry)
  else hosts.set(index, entry)
  replaceFile(file, document.toString(), { mode: 0o644 })
}

/** Writes who may connect, which the server reads when it is told to. */
export function writeHosts(directory: string): void {
  const home = fleetHome(directory)
  const members = [...rosterOf(directory).hosts.values()].flatMap(({ name, key, retired, revoked }) =>
    key === undefined || retired !== undefined || revoked !== undefined ? [] : [{ name, key }],
  )
  replaceFile(home.hosts, hostsConfig(members), { mode: 0o644 })
}

function rosterOf(directory: string): Roster {
  return rosterIn(fleetHome(directory).roster)
}

function read(path: string): string {
  try {
    return readWhole(path, LARGEST_BYTES).toString('utf8')
  } catch (error) {
    throw new OperatorError(`cannot read ${path}: ${systemReason(error)}; "driftgate fleet init" begins a fleet`, {
      cause: error,
    })
  }
}

function put(directory: string, name: string, text: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    replaceFile(join(directory, name), text, { mode: 0o600 })
  } catch (error) {
    throw new OperatorError(`cannot write ${join(directory, name)}: ${systemReason(error)}`, { cause: error })
  }
}
