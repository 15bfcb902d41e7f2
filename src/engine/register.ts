import type { Declaration } from '../model/policy.ts'
import type { Registration } from '../model/registration.ts'
import type { ResourceResult } from '../model/run.ts'
import type { Redactor } from '../policy/secrets/redactor.ts'
import { failedFix } from './judge-health.ts'

/** Publishes an entry; resolves when it is stored, or to the reason of a failure. */
export type Register = (entry: Registration) => Promise<{ readonly value: undefined } | { readonly message: string }>

/** Note for a run that registers nothing although its policies ask for it. */
export const UNREGISTERED = 'register_when_stable: nothing was registered; use "driftgate scan --fix --register"'

export interface RegisterContext {
  readonly register: Register | undefined
  readonly redactor: Redactor
}

/**
 * Registers a compliant resource whose health checks are all OK. Other resources keep their registry entry until it
 * expires.
 */
export async function registerStable(
  result: ResourceResult,
  { registrations = [], sensitive }: Declaration,
  { register, redactor }: RegisterContext,
): Promise<ResourceResult> {
  if (register === undefined || (result.verdict !== 'compliant' && result.verdict !== 'fixed')) return result
  const shaky = result.health?.find(({ status }) => status !== 'OK')
  if (shaky !== undefined) {
    const warning = `not registered: health check ${shaky.name} is ${shaky.status}`
    return { ...result, warnings: [...(result.warnings ?? []), warning] }
  }
  const done: string[] = []
  for (const entry of registrations) {
    const label = sensitive ? '' : ` as ${redactor.text(describe(entry))}`
    const stored = await register(entry)
    if ('message' in stored)
      return registrationFailure(result, `not registered${label}: ${redactor.text(stored.message)}`)
    done.push(`registered${label}`)
  }
  return { ...result, actions: [...result.actions, ...done] }
}

function describe({ cluster, service, protocol, address, port }: Registration): string {
  const host = address.includes(':') ? `[${address}]` : address
  return `${cluster}/${service} at ${protocol}://${host}${port === undefined ? '' : `:${port}`}`
}

function registrationFailure(result: ResourceResult, message: string): ResourceResult {
  if (result.verdict === 'fixed') return failedFix(result, [], message)
  return { ...result, verdict: 'error', reason: 'not-observable', errors: [message], message }
}
