/** Failures allowed per address and time window. */
const MOST_FAILURES = 10
const WINDOW_MS = 60_000

/** Number of addresses tracked; further ones must wait for the next window. */
const MOST_ADDRESSES = 10_000

/** Counts failed authentications. */
export interface Attempts {
  /** Seconds that an address must wait; undefined if it need not. */
  readonly waitOf: (address: string, nowMs: number) => number | undefined
  readonly failed: (address: string, nowMs: number) => void
}

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

/** Groups IPv6 addresses by /64 network, since a client usually has all of one. */
function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address
  const [head = '', tail] = address.split('::')
  const groups = head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').length
  return [...groups, ...Array.from({ length: Math.max(0, missing) }, () => '0')].slice(0, 4).join(':')
}
