import type { Drift, UnknownProperty } from '../../model/drift.ts'
import { unknown } from '../../model/observation.ts'
import type { AddressFamily } from './rules/packets.ts'
import type { FilterHook } from './rules/question.ts'
import type { FirewallManager } from './firewall.ts'

/** What a policy says: the properties that are observed and decided. */
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

/** A socket that takes connections. */
export interface Listener {
  readonly protocol: 'tcp' | 'udp'
  readonly port: number
  readonly address: string
  /** Of which families. */
  readonly takes: readonly AddressFamily[]
  /** Who has it open, where that is known. */
  readonly by?: string
}

/** What a part of the comparison comes to. */
export interface Finding {
  readonly drift: readonly Drift[]
  readonly unknown: readonly UnknownProperty[]
}

const HOOKS: readonly FilterHook[] = ['input', 'forward', 'output']

/** The hook that a resource is about: what it says, or else its name. */
export function hookOf({ name, hook }: Pick<FirewallDesired, 'name' | 'hook'>): FilterHook | undefined {
  return hook ?? HOOKS.find((each) => each === name)
}

/** Whether the rules of the next start are to be looked at. */
export function comparesStored(wanted: FirewallDesired): boolean {
  const { stored, default: usual, loopback, spoofed_loopback: spoofed } = wanted
  return stored && [usual, loopback, spoofed].some((each) => each !== undefined)
}

/** Whether those rules are read: also where a fix is to write what is asked of those in force alone. */
export function wantsStored(wanted: FirewallDesired): boolean {
  const { stored, base_chain: base, allowed } = wanted
  return comparesStored(wanted) || (stored && (base !== undefined || allowed !== undefined))
}

/** Whether ports, from the first to the last, are among those that a policy allows: `tcp:22`, `udp:60000-61000`. */
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

/** That a verdict depends on what is not understood. */
export function unclear(family: AddressFamily, by: string): ReturnType<typeof unknown> {
  return unknown('not-observable', `${family}: it depends on what driftgate does not understand: ${by}`)
}

/** That nothing is wrong, and nothing unclear. */
export const NOTHING: Finding = { drift: [], unknown: [] }

/** All that was found. */
export function merged(findings: readonly Finding[]): Finding {
  return {
    drift: findings.flatMap(({ drift }) => drift),
    unknown: findings.flatMap((finding) => finding.unknown),
  }
}
