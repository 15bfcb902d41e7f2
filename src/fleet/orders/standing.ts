import type { Answer } from './answer.ts'
import { type Order, hostsOf } from './order.ts'

/** State of an order on a host. */
export type Standing = 'unsent' | 'pending' | 'expired' | Answer['state']

/** A host of an order. */
export interface OrderedHost {
  readonly host: string
  readonly standing: Standing
  /** Answer of the host; absent without one. */
  readonly answer?: Answer
}

/** Progress of an order. */
export interface Known {
  /** Hosts that the order was sent to. */
  readonly sentTo: ReadonlySet<string>
  /** By host. */
  readonly answers: ReadonlyMap<string, Answer>
}

/** State of each host, in the order's sequence. */
export function standingsOf(order: Order, { sentTo, answers }: Known, nowMs: number): readonly OrderedHost[] {
  const isOver = nowMs >= Date.parse(order.expires)
  return hostsOf(order).map((host): OrderedHost => {
    const answer = answers.get(host)
    if (answer !== undefined) return { host, standing: answer.state, answer }
    if (isOver) return { host, standing: 'expired' }
    return { host, standing: sentTo.has(host) ? 'pending' : 'unsent' }
  })
}

/** True if no further answer is expected from a host. */
export function isSettled({ standing }: OrderedHost): boolean {
  return standing !== 'unsent' && standing !== 'pending'
}
