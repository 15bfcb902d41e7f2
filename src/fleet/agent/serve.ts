import { parseDuration, MINUTE_MS } from '../../model/duration.ts'
import { defined } from '../../model/defined.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { type Assigned, keepUp } from '../nats/assigned.ts'
import { type Agent, enter, readAgent } from '../nats/connect.ts'
import { BUCKETS, valueSubject } from '../nats/names.ts'
import { followOperator } from '../nats/follow.ts'
import type { Line } from '../../host/nats/line.ts'
import type { ChildScan } from '../../runs/watch/child-scan.ts'
import { perform, waitUntilGone } from '../../runs/watch/course.ts'
import { everyInterval } from '../../runs/watch/rhythm.ts'
import type { WatchLog } from '../../runs/watch/watch-log.ts'
import { type Bell, makeBell } from './bell.ts'
import type { OrderedScan } from './carry-out.ts'
import { attempt, type Exchanged, keepLinked, type Notice, open } from './link.ts'
import { beginOrders, type Orders } from './orders.ts'
import { sendStored } from './send-stored.ts'

/** Current assignment of the host. */
interface Duty {
  /** As last known. */
  readonly now: () => Assigned
  /** Asks the server for the assignment, reports changes, and signals a new one. */
  readonly ask: (line: Line) => Promise<void>
  /** Reports a missing assignment before the server was asked. */
  readonly sayIfNone: () => void
}

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

/** Starts with the last verified assignment. */
async function beginDuty(directory: string, bell: Bell, say: (text: string) => void): Promise<Duty> {
  let now = await keepUp(undefined, directory)
  let said: string | undefined
  return {
    now: () => now,
    async ask(line) {
      const before = now
      now = await keepUp(line, directory)
      const text = describe(now)
      // That the connection ended is said elsewhere.
      if (text !== said && !line.isClosed()) {
        say(text)
        said = text
      }
      if (now.kind !== 'none' && (before.kind === 'none' || before.assignment.version !== now.assignment.version))
        bell.ring()
    },
    sayIfNone() {
      if (said === undefined && now.kind === 'none') say('no policy is assigned yet, so nothing is scanned')
    },
  }
}

/** Describes the assignment; the text changes only with its state. */
function describe(assigned: Assigned): string {
  if (assigned.kind === 'none') return `no policy is assigned: ${assigned.reason}`
  const { assignment } = assigned
  const named = `version ${assignment.version} for ${assignment.to}`
  return assigned.kind === 'kept'
    ? `${named} stays in force: ${assigned.reason}`
    : `assigned: ${named}, ${assignment.policies.map(({ name }) => name).join(', ')}, by ${assignment.author}: ${assignment.reason}`
}

/** Remark for a scan whose assignment the server did not confirm; undefined if it did. */
function remarkOnAge(assigned: Assigned, nowMs: number): string | undefined {
  if (assigned.kind !== 'kept') return undefined
  const minutes = Math.max(0, Math.round((nowMs - Date.parse(assigned.since)) / MINUTE_MS))
  return `scanned with version ${assigned.assignment.version} for ${assigned.assignment.to}, which the server confirmed ${minutes} minutes ago`
}
