import type { ConnectTrouble } from '../../host/nats/trouble.ts'

const SHORTEST_MS = 1000
const LONGEST_MS = 60_000

/** A server that refuses a host keeps refusing it until an operator acts. */
const LONGEST_REFUSED_MS = 600_000

/**
 * Delay before the next connection attempt, in milliseconds, with exponential backoff and jitter, so that hosts do not
 * reconnect at the same time. `random` is from 0 to 1.
 */
export function reconnectMs(failures: number, trouble: ConnectTrouble, random: number): number {
  const most = Math.min(trouble === 'away' ? LONGEST_MS : LONGEST_REFUSED_MS, SHORTEST_MS * 2 ** (failures + 1))
  return SHORTEST_MS + random * (most - SHORTEST_MS)
}
