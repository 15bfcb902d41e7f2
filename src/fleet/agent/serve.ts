import { parseDuration } from '../../model/duration.ts'
import { defined } from '../../model/defined.ts'
import { OperatorError } from '../../model/operator-error.ts'
import type { Assigned } from '../nats/assigned.ts'
import { type Agent, enter, readAgent } from '../nats/connect.ts'
import { BUCKETS, valueSubject } from '../nats/names.ts'
import { followOperator } from '../nats/follow.ts'
import type { Line } from '../../host/nats/line.ts'
import type { ChildScan } from '../../runs/watch/child-scan.ts'
import { waitUntilGone, perform } from '../../runs/watch/course.ts'
import { everyInterval } from '../../runs/watch/rhythm.ts'
import type { WatchLog } from '../../runs/watch/watch-log.ts'
import { type Bell, makeBell } from './bell.ts'
import type { OrderedScan } from './carry-out.ts'
import { beginDuty, type Duty, remarkOnAge } from './duty.ts'
import { attempt, type Exchanged, keepLinked, type Notice, open } from './link.ts'
import { beginOrders, type Orders } from './orders.ts'
import { sendStored } from './send-stored.ts'

/** Settings of an agent. */
export interface AgentPlan {
  /** Directory written by `driftgate fleet join`. */
  readonly directory: string
  /** driftgate version. */
  readonly version: string
  /** History of the scans, which is the send queue. */
  readonly history: string
  /** Maximum random delay for events that reach all hosts at once, in milliseconds. */
  readonly splayMs: number
  /** Starts a scan with these policies; it stores its run, except for the audit before an order. */
  readonly start: (policies: readonly string[], ordered?: OrderedScan) => ChildScan
  readonly journal: WatchLog
  readonly say: (text: string) => void
  readonly signal: AbortSignal
}

/**
 * Scans the assigned policies and sends the runs until the signal is aborted. Throws an `OperatorError` if the host is
 * not enrolled.
 */
export async function serve(plan: AgentPlan): Promise<void> {
  const { directory, splayMs, say } = plan
  const agent = readAgent(directory)
  const over = new AbortController()
  const end = (): void => over.abort()
  plan.signal.addEventListener('abort', end, { once: true })
  if (plan.signal.aborted) end()
  const { signal } = over
  const [toSend, toScan] = [makeBell(), makeBell()]
  const duty = await beginDuty(directory, toScan, say)
  duty.sayIfNone()
  const orders = beginOrders(agent, directory, say)
  const parts = { plan, agent, duty, orders }
  const exchange = async (line: Line): Promise<Exchanged> => {
    const exchanged = await exchangeAll(line, parts)
    if (orders.isDue()) toScan.ring()
    return exchanged
  }
  const connect = (): Promise<Line> => enter(readAgent(directory).login)
  try {
    await Promise.all([
      keepLinked({ enter: connect, notices: noticesFor(agent, splayMs), exchange, bell: toSend, say, signal }),
      scanAssigned({ ...parts, toSend, toScan, signal }),
    ])
  } finally {
    end()
  }
}

/** Orders have no delay: they reach few hosts, and the operator waits for them. */
function noticesFor({ name, ring }: Agent, splayMs: number): readonly Notice[] {
  const { assignments, orders } = BUCKETS
  return [
    { subject: valueSubject(assignments, `host.${name}`), splayMs },
    { subject: valueSubject(assignments, `ring.${ring}`), splayMs },
    { subject: valueSubject(orders, `host.${name}`), splayMs: 0 },
  ]
}

/** Scans and sends once with the current assignment. Returns whether the scan was performed. */
export async function serveOnce(plan: AgentPlan): Promise<boolean> {
  const { directory, say, journal, signal } = plan
  const agent = readAgent(directory)
  const duty = await beginDuty(directory, makeBell(), say)
  const orders = beginOrders(agent, directory, say)
  const opened = await open(
    () => enter(agent.login),
    (_state, text) => say(text),
  )
  const exchange = async (): Promise<void> => {
    if (!('line' in opened) || opened.line.isClosed()) return
    const exchanged = await attempt(exchangeAll(opened.line, { plan, duty, orders }))
    if (typeof exchanged === 'object') say(exchanged.trouble)
  }
  try {
    await exchange()
    duty.sayIfNone()
    const assigned = duty.now()
    if (assigned.kind === 'none') return false
    await carryOutOrders({ plan, duty, orders })
    const rhythm = { ...everyInterval(1), after: () => undefined }
    const start = (): ChildScan => plan.start(assigned.policies)
    const { isPerformed } = await perform({ rhythm, jitterMs: 0, start, journal, signal }, rhythm.now())
    await exchange()
    return isPerformed
  } finally {
    if ('line' in opened) await opened.line.close()
  }
}

interface Parts {
  readonly plan: AgentPlan
  readonly agent: Agent
  readonly duty: Duty
  readonly orders: Orders
}

async function exchangeAll(line: Line, { plan, duty, orders }: Omit<Parts, 'agent'>): Promise<Exchanged> {
  const followed = await attempt(followOperator(line, plan.directory, plan.say))
  await duty.ask(line)
  const ordered = await attempt(orders.exchange(line))
  const { directory, history, version, say } = plan
  const assigned = duty.now()
  // The host key may have been replaced.
  const agent = readAgent(directory)
  const intervalMs = intervalOf(assigned, agent)
  const assignment = assigned.kind === 'none' ? undefined : assigned.assignment
  const exchanged = await sendStored(line, {
    agent,
    directory,
    history,
    version,
    intervalMs,
    say,
    ...defined({ assignment }),
  })
  // Reports are sent even if the outcome of an order cannot be stored.
  const trouble = ordered ?? followed
  if (trouble !== undefined) throw new OperatorError(trouble.trouble)
  return exchanged
}

interface Scanning extends Parts {
  readonly toSend: Bell
  readonly toScan: Bell
  readonly signal: AbortSignal
}

async function scanAssigned({ plan, agent, duty, orders, toSend, toScan, signal }: Scanning): Promise<void> {
  const { journal, splayMs, say } = plan
  let intervalMs = 0
  let rhythm = everyInterval(1)
  while (!signal.aborted) {
    const assigned = duty.now()
    const wantedMs = intervalOf(assigned, agent)
    if (wantedMs !== intervalMs) rhythm = everyInterval(wantedMs)
    intervalMs = wantedMs
    if (await carryOutOrders({ plan, duty, orders })) toSend.ring()
    if (signal.aborted) return
    if (assigned.kind === 'none') {
      await toScan.wait(rhythm.now() + Math.min(intervalMs, orders.idleMs()), signal)
      toSend.ring()
      continue
    }
    const start = (): ChildScan => plan.start(assigned.policies)
    const course = { rhythm, jitterMs: Math.min(splayMs, intervalMs / 10), start, journal, signal }
    const { scan, next } = await perform(course, rhythm.now())
    const remark = remarkOnAge(duty.now(), Date.now())
    if (remark !== undefined) say(remark)
    toSend.ring()
    await toScan.wait(Math.min(next?.startAt ?? Infinity, rhythm.now() + orders.idleMs()), signal)
    await waitUntilGone(scan, rhythm.now(), course)
  }
}

/** Carries out all due orders and returns whether there was one. The next scan verifies them. */
async function carryOutOrders({ plan, duty, orders }: Omit<Parts, 'agent'>): Promise<boolean> {
  const isAny = orders.isDue()
  while (orders.isDue() && !plan.signal.aborted) {
    const assigned = duty.now()
    const policies = assigned.kind === 'none' ? [] : assigned.policies
    await orders.carryOut(assigned, (ordered) => plan.start(policies, ordered))
  }
  return isAny
}

/** Scan interval in milliseconds. */
function intervalOf(assigned: Assigned, { interval }: Agent): number {
  const text = (assigned.kind === 'none' ? undefined : assigned.assignment.interval) ?? interval
  const milliseconds = parseDuration(text) ?? 0
  if (milliseconds > 0) return milliseconds
  throw new OperatorError(`the interval ${JSON.stringify(text)} is not a duration: set it in agent.json, such as "1h"`)
}
