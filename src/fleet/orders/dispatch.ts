import { setTimeout } from 'node:timers/promises'
import { countOf } from '../../model/count-of.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { sha256 } from '../../host/signing/digest.ts'
import { type Key, namedKey, readPublicKey } from '../../host/signing/keys.ts'
import { rosterIn } from '../load-roster.ts'
import { keysOf } from '../nats/host-keys.ts'
import { fleetHome } from '../nats/home.ts'
import { asOperator, type Operator } from '../nats/operator.ts'
import { approvedBy, type Approvers, lacksApproval, readApprovers } from './approvers.ts'
import { hostsOf, openOrder, type SignedOrder } from './order.ts'
import { isSettled, type OrderedHost, standingsOf } from './standing.ts'
import { sendOrder, type StoredOrders, storedOrders } from './stored-orders.ts'
import { type Wave, wavesOf } from './waves.ts'

/** Settings for sending an order. */
export interface Dispatch {
  readonly author: string
  /** Waves of hosts; each starts after all hosts of the previous one have answered. */
  readonly waves: readonly Wave[]
  /** Number of refusals or failures after which no other host gets the order. */
  readonly tolerated: number
  /** True to wait for the last answers as well. */
  readonly isAwaited: boolean
  /** Called when a host gets the order or answers. */
  readonly tell: (host: OrderedHost) => void
  readonly signal: AbortSignal
}

/** Polling interval for answers, in milliseconds. */
const LOOK_MS = 1000

/** Kind of the act in the activity log. */
const ACT = 'order'

/**
 * Sends an order to its hosts. It can be resumed: hosts that have the order do not get it again. Returns the final
 * state of each host. Throws an `OperatorError` for an order that is not approved or has expired; nothing is then sent.
 */
export async function dispatchOrder(
  directory: string,
  value: unknown,
  dispatch: Dispatch,
): Promise<readonly OrderedHost[]> {
  const home = fleetHome(directory)
  const operator = readPublicKey(home.publicPolicyKey)
  const signed = approvedOrder(value, operator, readApprovers(home.approvers))
  const { order } = signed
  const keyOf = hostKeys(home.roster)
  return await asOperator(directory, async ({ line, note }) => {
    const look = async (): Promise<readonly OrderedHost[]> =>
      standingIn(await storedOrders(line, operator, keyOf), signed)
    await note({ act: ACT, author: dispatch.author, about: order.id, text: describe(signed) })
    const told = new Set<string>()
    const news = (all: readonly OrderedHost[]): readonly OrderedHost[] => {
      for (const each of all.filter((one) => one.standing !== 'unsent' && !told.has(`${one.host} ${one.standing}`))) {
        told.add(`${each.host} ${each.standing}`)
        dispatch.tell(each)
      }
      return all
    }
    let standings = news(await look())
    const waves = wavesOf(hostsOf(order), dispatch.waves)
    for (const [index, wave] of waves.entries()) {
      for (const host of wave.filter((each) => standings.some((one) => one.host === each && one.standing === 'unsent')))
        await sendOrder(line, signed, host)
      standings = news(await look())
      if (index === waves.length - 1 && !dispatch.isAwaited) break
      while (!isOver(standings, wave) && !dispatch.signal.aborted) {
        await setTimeout(LOOK_MS, undefined, { signal: dispatch.signal }).catch(() => undefined)
        standings = news(await look())
      }
      if (dispatch.signal.aborted || selectFailed(standings).length > dispatch.tolerated) break
    }
    await noteEnd(note, dispatch.author, { id: order.id, standings })
    return standings
  })
}

interface ApprovedOrder extends SignedOrder {
  /** Names of its approvers. */
  readonly by: readonly string[]
}

function approvedOrder(value: unknown, operator: Key, approvers: Approvers | undefined): ApprovedOrder {
  const opened = openOrder(value, operator)
  if ('message' in opened) throw new OperatorError(`this order cannot be sent: ${opened.message}`)
  if (approvers === undefined)
    throw new OperatorError('this fleet has no approvers: set them with "driftgate fleet approvers"')
  const lack = lacksApproval(opened.envelope, approvers, operator)
  if (lack !== undefined) throw new OperatorError(`this order cannot be sent: ${lack}`)
  if (Date.now() >= Date.parse(opened.order.expires))
    throw new OperatorError(`this order expired at ${opened.order.expires}: draft a new one`)
  return { ...opened, by: approvedBy(opened.envelope, approvers, operator) }
}

/** Keys of the hosts in a roster. Throws an `OperatorError` if it is invalid. */
export function hostKeys(roster: string): (host: string) => Key | undefined {
  const keys = keysOf(rosterIn(roster))
  return (host) => {
    const key = keys.get(host)
    return key && { ...namedKey(key), others: keys.othersOf(host) }
  }
}

function standingIn({ orders }: StoredOrders, { order }: SignedOrder): readonly OrderedHost[] {
  const known = orders.find((each) => each.order.id === order.id)
  return standingsOf(order, known ?? { sentTo: new Set(), answers: new Map() }, Date.now())
}

function isOver(standings: readonly OrderedHost[], wave: readonly string[]): boolean {
  return standings.filter(({ host }) => wave.includes(host)).every(isSettled)
}

/** Hosts that refused or failed. */
export function selectFailed(standings: readonly OrderedHost[]): readonly OrderedHost[] {
  return standings.filter((each) => isSettled(each) && each.standing !== 'done')
}

function describe({ order, envelope, by }: ApprovedOrder): string {
  const resources = countOf(
    order.fixes.reduce((sum, { findings }) => sum + findings.length, 0),
    'resource',
  )
  const digest = sha256(Buffer.from(envelope.payload, 'base64'))
  return `sent to ${countOf(hostsOf(order).length, 'host')}: ${resources} of ${order.policy.name} ${order.policy.sha256}, approved by ${by.join(', ')}, SHA-256 ${digest}; ${order.reason}`
}

async function noteEnd(
  note: Operator['note'],
  author: string,
  { id, standings }: { readonly id: string; readonly standings: readonly OrderedHost[] },
): Promise<void> {
  const settled = standings.filter(isSettled)
  if (settled.length === 0) return
  const bad = selectFailed(standings).map(
    ({ host, standing, answer }) => `${host} ${standing}${answer === undefined ? '' : `: ${answer.text}`}`,
  )
  const text = [`done on ${countOf(settled.length - bad.length, 'host')} of ${standings.length}`, ...bad].join('; ')
  await note({ act: ACT, author, about: id, text })
}
