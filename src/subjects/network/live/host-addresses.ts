import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { known, type Reading, unknown } from '../../../model/observation.ts'
import { errorCode } from '../../../host/live/system-error.ts'

export interface Patience {
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/**
 * Addresses of a host as other programs of this machine resolve them, from the hosts file and DNS; empty if it does not exist.
 */
export async function hostAddresses(
  host: string,
  { timeoutMs, signal }: Patience,
): Promise<Reading<readonly string[]>> {
  if (isIP(host) !== 0) return known([host])
  const over = new AbortController()
  const answer = lookup(host, { all: true, verbatim: true }).then(
    (found) => known(found.map(({ address }) => address)),
    (error: unknown) => lookupFailure(host, error),
  )
  const late = wait(timeoutMs, unknown('timeout', `${host}: the name was not resolved within ${timeoutMs} ms`), {
    signal: AbortSignal.any([signal, over.signal]),
  }).catch(() => unknown('not-observable', `${host}: the run was interrupted while the name was resolved`))
  const first = await Promise.race([answer, late])
  over.abort()
  return first
}

function lookupFailure(host: string, error: unknown): Reading<readonly string[]> {
  const code = errorCode(error)
  if (code === undefined) throw error
  // The DNS servers returned this answer; EAI_AGAIN means that no server was reachable.
  if (code === 'ENOTFOUND') return known([])
  return unknown('not-observable', `${host}: the name cannot be resolved: ${code}`)
}
