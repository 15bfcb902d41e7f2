/** How many failures within how long are let pass, by address. */
const MOST_FAILURES = 10
const WINDOW_MS = 60_000

/** How many addresses are remembered: those after them are let in one window later at the earliest. */
const MOST_ADDRESSES = 10_000

/** Counts who fails to say who they are. */
export interface Attempts {
  /** For how many seconds an address has to wait; undefined where it need not. */
  readonly waitOf: (address: string, nowMs: number) => number | undefined
  readonly failed: (address: string, nowMs: number) => void
}

/** Starts without failed attempts. */
export function countAttempts(): Attempts {
  const failures = new Map<string, { count: number; untilMs: number }>()

  function forget(nowMs: number): void {
    for (const [address, { untilMs }] of failures) if (untilMs <= nowMs) failures.delete(address)
  }

  return {
    waitOf: (address, nowMs) => {
      const known = failures.get(networkOf(address))
      const isFull = known === undefined && failures.size >= MOST_ADDRESSES
      if (isFull) {
        forget(nowMs)
        return failures.size >= MOST_ADDRESSES ? WINDOW_MS / 1_000 : undefined
      }
      if (known === undefined || known.untilMs <= nowMs || known.count < MOST_FAILURES) return undefined
      return Math.ceil((known.untilMs - nowMs) / 1_000)
    },
    failed: (address, nowMs) => {
      const network = networkOf(address)
      const known = failures.get(network)
      if (known === undefined || known.untilMs <= nowMs) failures.set(network, { count: 1, untilMs: nowMs + WINDOW_MS })
      else known.count++
    },
  }
}

/** A client with one address of version 6 has all of its network. */
function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address
  const [head = '', tail] = address.split('::')
  const groups = head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').length
  return [...groups, ...Array.from({ length: Math.max(0, missing) }, () => '0')].slice(0, 4).join(':')
}
