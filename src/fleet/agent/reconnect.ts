import type { ConnectTrouble } from '../../host/nats/trouble.ts'

const SHORTEST_MS = 1000
const LONGEST_MS = 60_000

/** A server that refuses a host goes on refusing it until an operator has done something. */
const LONGEST_REFUSED_MS = 600_000

/**
 * How long to wait before the server is tried again that failed so many times in a row, in milliseconds: somewhere between a second and
 * a time that doubles, so that hosts that have lost it together do not come back together. `random` is from 0 to 1.
 */
export function reconnectMs(failures: number, trouble: ConnectTrouble, random: number): number {
  const most = Math.min(trouble === 'away' ? LONGEST_MS : LONGEST_REFUSED_MS, SHORTEST_MS * 2 ** (failures + 1))
  return SHORTEST_MS + random * (most - SHORTEST_MS)
}
