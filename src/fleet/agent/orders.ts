import { defined } from '../../model/defined.ts'
import { OperatorError } from '../../model/operator-error.ts'
import type { Assigned } from '../nats/assigned.ts'
import { type Agent, readAgent } from '../nats/connect.ts'
import { agentHome } from '../nats/join.ts'
import { signAnswer } from '../orders/answer.ts'
import { lacksApproval, readApprovers } from '../orders/approvers.ts'
import { type Fix, fixFor, openOrder, type SignedOrder } from '../orders/order.ts'
import { ordersFor, tellAnswer } from '../orders/stored-orders.ts'
import type { Line } from '../../host/nats/line.ts'
import { namedKey } from '../../host/signing/keys.ts'
import type { ChildScan } from '../../runs/watch/child-scan.ts'
import { type CarryingOut, carryOut, type Ended, type OrderedScan } from './carry-out.ts'
import { openOrderJournal } from './order-journal.ts'

export interface Orders {
  /** Fetches orders and sends pending answers. Throws an `OperatorError`. */
  readonly exchange: (line: Line) => Promise<void>
  /** True if an order is due. */
  readonly isDue: () => boolean
  /** Time until an order is due, in milliseconds; infinite without orders. */
  readonly idleMs: () => number
  /** Carries out a due order and stores its answer until it can be sent. */
  readonly carryOut: (assigned: Assigned, start: (scan: OrderedScan) => ChildScan) => Promise<void>
}

interface Waiting extends SignedOrder {
  readonly fix: Fix
}

/** Maximum number of messages about ignored orders: an attacker on the server could fill the log. */
const MOST_IGNORED = 32

/** Reads the order journal; orders that were begun without an answer are not begun again. */
export function beginOrders(agent: Agent, directory: string, say: (text: string) => void): Orders {
  const home = agentHome(directory)
  const journal = openOrderJournal(home.orders)
  const waiting = new Map<string, Waiting>()
  /** Orders begun by this process: the server keeps offering them. */
  const begun = new Set<string>()
  const ignored = new Set<string>()

  function answer(id: string, { state, text, run }: Ended): void {
    say(`order ${id} ${state}: ${text}`)
    const about = { order: id, host: agent.name, state, text, at: new Date().toISOString() }
    // The host key may have been replaced.
    journal.answer(id, signAnswer({ ...about, ...defined({ run }) }, namedKey(readAgent(directory).key)))
  }

  function take(value: unknown): void {
    // The policy key may have been replaced.
    const trusting = readAgent(directory)
    const judged = judge(value, trusting)
    if ('ignored' in judged) {
      if (ignored.has(judged.ignored) || ignored.size >= MOST_IGNORED) return
      ignored.add(judged.ignored)
      return say(judged.ignored)
    }
    const { id, author, reason, expires } = judged.order
    // An expired order is not answered: the operator sees its expiry.
    if (journal.knows(id) || begun.has(id) || waiting.has(id) || Date.now() >= Date.parse(expires)) return
    const lack = whyNotApproved(judged, home.approvers, trusting)
    if (lack !== undefined) return answer(id, { state: 'refused', text: lack })
    waiting.set(id, judged)
    say(`order ${id} by ${author} waits: ${reason}`)
  }

  for (const id of journal.brokenOff()) answer(id, { state: 'failed', text: BROKEN_OFF })
  const dueAt = ({ order }: Waiting): number => Date.parse(order.notBefore)
  const dueNow = (): Waiting | undefined => [...waiting.values()].find((each) => dueAt(each) <= Date.now())
  return {
    async exchange(line) {
      for (const value of await ordersFor(line, agent.name)) take(value)
      for (const { id, answer: envelope } of journal.untold()) {
        await tellAnswer(line, agent.name, envelope)
        journal.told(id)
      }
    },
    isDue: () => dueNow() !== undefined,
    idleMs: () => Math.max(0, Math.min(...[...waiting.values()].map(dueAt)) - Date.now()),
    async carryOut(assigned, start) {
      const due = dueNow()
      if (due === undefined) return
      const { id, expires } = due.order
      waiting.delete(id)
      begun.add(id)
      if (Date.now() >= Date.parse(expires)) return
      // The approvers may have changed since.
      const lack = whyNotApproved(due, home.approvers, agent) ?? whyNotInForce(due, assigned)
      const how = { directory: home.orders, start, begin: () => journal.begin(id) }
      const ended: Ended = lack === undefined ? await endOf(due, how) : { state: 'refused', text: lack }
      try {
        answer(id, ended)
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error
        // A full disk must not end the agent. The next start finds the order as begun.
        say(error.message)
      }
    },
  }
}

/** An order for this host signed by the operator, or the reason to ignore it. */
function judge(value: unknown, { name, policyKey }: Agent): Waiting | { readonly ignored: string } {
  const opened = openOrder(value, policyKey)
  if ('message' in opened) return { ignored: `an order on the server is ignored: ${opened.message}` }
  const fix = fixFor(opened.order, name)
  return fix === undefined
    ? { ignored: `the server has an order under the name of ${name} that is not for it: ${opened.order.id}` }
    : { ...opened, fix }
}

function whyNotApproved({ envelope }: SignedOrder, path: string, { policyKey }: Agent): string | undefined {
  try {
    const approvers = readApprovers(path)
    if (approvers === undefined) return `this host accepts no orders: ${path} does not exist`
    return lacksApproval(envelope, approvers, policyKey)
  } catch (error) {
    if (error instanceof OperatorError) return error.message
    throw error
  }
}

async function endOf({ order, fix }: Waiting, how: Pick<CarryingOut, 'directory' | 'start' | 'begin'>): Promise<Ended> {
  try {
    return await carryOut({ order, fix, ...how })
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return { state: 'failed', text: error.message }
  }
}

const BROKEN_OFF =
  'the agent was stopped during the order, and orders are not repeated: run "driftgate fixes" on the host to see the changes'

function whyNotInForce({ order: { policy } }: Waiting, assigned: Assigned): string | undefined {
  const { name, sha256 } = policy
  const policies = assigned.kind === 'none' ? [] : assigned.assignment.policies
  const isAssigned = policies.some((each) => each.name === name && each.sha256 === sha256)
  return isAssigned ? undefined : `this host is not assigned ${name} in the version of the order`
}
