import type { Answer } from './answer.ts'
import { type Order, hostsOf } from './order.ts'

/** How it stands between an order and one of its hosts. */
export type Standing = 'unsent' | 'pending' | 'expired' | Answer['state']

/** One of the hosts of an order. */
export interface OrderedHost {
  readonly host: string
  readonly standing: Standing
  /** What the host said; absent where it said nothing. */
  readonly answer?: Answer
}

/** What is known of an order beside itself. */
export interface Known {
  /** The hosts that it was sent to. */
  readonly sentTo: ReadonlySet<string>
  /** By host. */
  readonly answers: ReadonlyMap<string, Answer>
}

/** How it stands with each host of an order, in its order. */
export function standingsOf(order: Order, { sentTo, answers }: Known, nowMs: number): readonly OrderedHost[] {
  const isOver = nowMs >= Date.parse(order.expires)
  return hostsOf(order).map((host): OrderedHost => {
    const answer = answers.get(host)
    if (answer !== undefined) return { host, standing: answer.state, answer }
    if (isOver) return { host, standing: 'expired' }
    return { host, standing: sentTo.has(host) ? 'pending' : 'unsent' }
  })
}

/** Whether nothing more is to be expected of a host. */
export function isSettled({ standing }: OrderedHost): boolean {
  return standing !== 'unsent' && standing !== 'pending'
}
