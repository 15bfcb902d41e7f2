import { unknown } from '../../model/observation.ts'
import type { AddressFamily } from './rules/packets.ts'
import type { FilterHook } from './rules/question.ts'
import type { FirewallManager } from './firewall.ts'

/** Properties of a policy that are observed and decided. */
export interface FirewallDesired {
  readonly name: string
  readonly hook?: FilterHook | undefined
  readonly family: 'both' | AddressFamily
  readonly default?: 'drop' | undefined
  readonly loopback?: 'accept' | undefined
  readonly spoofed_loopback?: 'drop' | undefined
  readonly base_chain?: 'present' | undefined
  readonly tables?: readonly string[] | undefined
  readonly allowed?: readonly string[] | undefined
  readonly trusted_interfaces?: readonly string[] | undefined
  readonly manager?: FirewallManager | undefined
  readonly stored: boolean
}

export interface Listener {
  readonly protocol: 'tcp' | 'udp'
  readonly port: number
  readonly address: string
  readonly takes: readonly AddressFamily[]
  /** The process that owns the socket, if known. */
  readonly by?: string
}

const HOOKS: readonly FilterHook[] = ['input', 'forward', 'output']

/** The hook of a resource: its property, or else its name. */
export function hookOf({ name, hook }: Pick<FirewallDesired, 'name' | 'hook'>): FilterHook | undefined {
  return hook ?? HOOKS.find((each) => each === name)
}

/** Whether the rules loaded at boot are compared. */
export function comparesStored(wanted: FirewallDesired): boolean {
  const { stored, default: usual, loopback, spoofed_loopback: spoofed } = wanted
  return stored && [usual, loopback, spoofed].some((each) => each !== undefined)
}

/** Whether the stored rules are read: also if a fix must write rules that the policy only requires in force. */
export function wantsStored(wanted: FirewallDesired): boolean {
  const { stored, base_chain: base, allowed } = wanted
  return comparesStored(wanted) || (stored && (base !== undefined || allowed !== undefined))
}

/** Whether a port range is among the allowed ports of a policy: `tcp:22`, `udp:60000-61000`. */
export function isAllowed(
  allowed: readonly string[],
  protocol: string,
  [from, to]: readonly [first: number, last: number],
): boolean {
  return allowed.some((each) => {
    const [name, ports = ''] = each.split(':')
    const [first = Number.NaN, last = first] = ports.split('-').map(Number)
    return name === protocol && from >= first && to <= last
  })
}

/** Reason for an unknown verdict: it depends on a rule that is not understood. */
export function unclearRuleset(family: AddressFamily, by: string): ReturnType<typeof unknown> {
  return unknown('not-observable', `${family}: depends on a rule that driftgate cannot evaluate: ${by}`)
}
