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

/** The fix orders of a host. */
export interface Orders {
  /** Asks the server for orders, and tells it what became of those that it does not know of yet. Throws an `OperatorError`. */
  readonly exchange: (line: Line) => Promise<void>
  /** Whether one is to be carried out by now. */
  readonly isDue: () => boolean
  /** How long nothing is due yet, in milliseconds; infinite where nothing waits. */
  readonly idleMs: () => number
  /** Carries out one that is due, and keeps what became of it until it can be told. */
  readonly carryOut: (assigned: Assigned, start: (scan: OrderedScan) => ChildScan) => Promise<void>
}

interface Waiting extends SignedOrder {
  readonly fix: Fix
}

/** So many sentences about what counts for nothing are said at most: an attacker who holds the server could fill the log. */
const MOST_IGNORED = 32

/** Begins with what the journal says of earlier ones: all that was begun and never answered is not begun again. */
export function beginOrders(agent: Agent, directory: string, say: (text: string) => void): Orders {
  const home = agentHome(directory)
  const journal = openOrderJournal(home.orders)
  const waiting = new Map<string, Waiting>()
  /** Those that were begun here: the server goes on offering them, also while they are carried out. */
  const begun = new Set<string>()
  const ignored = new Set<string>()

  function answer(id: string, { state, text, run }: Ended): void {
    say(`order ${id} ${state}: ${text}`)
    const about = { order: id, host: agent.name, state, text, at: new Date().toISOString() }
    // Its key may be another one by now.
    journal.answer(id, signAnswer({ ...about, ...defined({ run }) }, namedKey(readAgent(directory).key)))
  }

  function take(value: unknown): void {
    // The key that signs orders may be another one by now.
    const trusting = readAgent(directory)
    const judged = judge(value, trusting)
    if ('ignored' in judged) {
      if (ignored.has(judged.ignored) || ignored.size >= MOST_IGNORED) return
      ignored.add(judged.ignored)
      return say(judged.ignored)
    }
    const { id, author, reason, expires } = judged.order
    // One that came too late is answered by nobody: the operator sees that it has expired.
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
      // Who may approve may have changed while it waited.
      const lack = whyNotApproved(due, home.approvers, agent) ?? whyNotInForce(due, assigned)
      const how = { directory: home.orders, start, begin: () => journal.begin(id) }
      const ended: Ended = lack === undefined ? await endOf(due, how) : { state: 'refused', text: lack }
      try {
        answer(id, ended)
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error
        // A full disk ends no agent. The next start finds that it was begun.
        say(error.message)
      }
    },
  }
}

/** An order for this host that the operator has signed, or why it gets no answer. */
function judge(value: unknown, { name, policyKey }: Agent): Waiting | { readonly ignored: string } {
  const opened = openOrder(value, policyKey)
  if ('message' in opened) return { ignored: `an order that the server has is not looked at: ${opened.message}` }
  const fix = fixFor(opened.order, name)
  return fix === undefined
    ? { ignored: `the server has an order here that is not for ${name}: ${opened.order.id}` }
    : { ...opened, fix }
}

function whyNotApproved({ envelope }: SignedOrder, path: string, { policyKey }: Agent): string | undefined {
  try {
    const approvers = readApprovers(path)
    if (approvers === undefined) return `this host takes no orders: there is no ${path}`
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
  'the agent was ended while it carried it out, and nothing is repeated: "driftgate fixes" on the host shows what was changed'

function whyNotInForce({ order: { policy } }: Waiting, assigned: Assigned): string | undefined {
  const { name, sha256 } = policy
  const policies = assigned.kind === 'none' ? [] : assigned.assignment.policies
  const isAssigned = policies.some((each) => each.name === name && each.sha256 === sha256)
  return isAssigned ? undefined : `this host is not assigned ${name} as the order has it`
}
