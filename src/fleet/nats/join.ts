import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { defined } from '../../model/defined.ts'
import { attempt, OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { makeKey, publicKeyOf } from '../../host/signing/keys.ts'
import { replaceFile } from '../../host/live/own-file.ts'
import { readWhole } from '../../host/live/read-whole.ts'
import { whoCanChange } from '../../host/live/who-can-change.ts'
import { APPROVERS_FILE, type Approvers, approversIn, readApprovers } from '../orders/approvers.ts'
import type { Invitation } from './enrolment.ts'
import { pemOf } from './home.ts'
import { publicNkey, readPrivateKey } from './nkey.ts'
import { forgetOutbox } from './outbox.ts'
import { forgetSent } from './sent-log.ts'

const LARGEST_BYTES = 64 * 1024

/** Files of an enrolled host. */
export function agentHome(directory: string) {
  return {
    key: join(directory, 'host.pem'),
    nextKey: join(directory, 'next.pem'),
    settings: join(directory, 'agent.json'),
    authority: join(directory, 'ca.pem'),
    policyKey: join(directory, 'policy.pub'),
    approvers: join(directory, APPROVERS_FILE),
    orders: join(directory, 'orders'),
  }
}

/** An enrolled host. */
export interface Joined {
  /** Public key of the host. */
  readonly key: string
  /** Approvers whose orders it accepts; absent if it accepts no orders. */
  readonly approvers?: Approvers
}

/**
 * Creates or reuses the key of this host and stores the trusted keys. Throws an `OperatorError` if others can read or
 * change the files, or if the host belongs to another fleet.
 */
export function joinFleet(directory: string, invitation: Invitation, takesOrders: boolean): Joined {
  const { name, server, authority, policyKey, ring, interval, approvers } = invitation
  const home = agentHome(directory)
  try {
    if (approvers !== undefined) approversIn('the invitation', Buffer.from(approvers))
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const others = whoCanChange(join(directory, '.'))
    if (others !== undefined) throw new OperatorError(`${directory} cannot store the key of this host: ${others}`)
    if (existsSync(home.policyKey) && !sharesKey(readText(home.policyKey), policyKey))
      throw new OperatorError(
        `${directory} belongs to another fleet: remove it to leave that fleet, or set another directory with --agent`,
      )
    const isNew = !existsSync(home.key)
    const key = isNew ? makeKey() : readPrivateKey(readText(home.key))
    if (key === undefined)
      throw new OperatorError(`${home.key} is not a private Ed25519 key: remove it to create a new one`)
    // The server ignores messages signed with an earlier key, so it has no valid message of this host.
    if (isNew) {
      rmSync(home.nextKey, { force: true })
      forgetOutbox(directory)
      forgetSent(directory)
    }
    replaceFile(home.key, pemOf(key), { mode: 0o600 })
    replaceFile(home.authority, authority, { mode: 0o644 })
    replaceFile(home.policyKey, policyKey, { mode: 0o644 })
    replaceFile(home.settings, `${JSON.stringify({ name, server, ring, interval }, null, 2)}\n`, { mode: 0o644 })
    // Manually installed approvers stay if the invitation names none.
    if (!takesOrders) rmSync(home.approvers, { force: true })
    else if (approvers !== undefined) replaceFile(home.approvers, approvers, { mode: 0o644 })
    return { key: publicNkey(key), ...defined({ approvers: readApprovers(home.approvers) }) }
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`cannot store the key of this host in ${directory}: ${systemReason(error)}`, {
      cause: error,
    })
  }
}

/** True if two files share a public key: within a fleet, keys are replaced one after the other. */
function sharesKey(one: string, other: string): boolean {
  const known = new Set(one.match(PEM_BODY))
  return other.match(PEM_BODY)?.some((each) => known.has(each)) ?? false
}

const PEM_BODY = /(?<=-----BEGIN PUBLIC KEY-----\n)[^-]+/g

/** Trusts only these public keys for policies; false if they were trusted already. Throws an `OperatorError`. */
export function trust(directory: string, pem: string): boolean {
  const { policyKey } = agentHome(directory)
  publicKeyOf('the answer of the operator', pem)
  return attempt(`cannot change ${policyKey}`, () => {
    if (readText(policyKey) === pem) return false
    replaceFile(policyKey, pem, { mode: 0o644 })
    return true
  })
}

/** Changes the fleet settings of the host. Throws an `OperatorError`. */
export function changeAgent(directory: string, change: { readonly server: string }): void {
  const { settings } = agentHome(directory)
  attempt(`cannot change ${settings}`, () => {
    const known: object = JSON.parse(readText(settings))
    replaceFile(settings, `${JSON.stringify({ ...known, ...change }, null, 2)}\n`, { mode: 0o644 })
  })
}

function readText(path: string): string {
  return readWhole(path, LARGEST_BYTES).toString('utf8')
}
