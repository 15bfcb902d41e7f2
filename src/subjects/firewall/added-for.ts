import type { Obstacle } from '../../model/decision.ts'
import { cannot } from '../../model/differences.ts'
import type { Drift } from '../../model/drift.ts'
import type { AddedRule, AddedRules } from './rules/added.ts'
import type { KeptPort } from './rules/kept.ts'
import type { AddressFamily } from './rules/packets.ts'
import { type FilterHook } from './rules/question.ts'
import { type FirewallDesired, isAllowed } from './wanted.ts'

/** What rules are made from. */
export interface Need {
  readonly wanted: FirewallDesired
  readonly hook: FilterHook
  readonly drift: readonly Drift[]
  /** Where a process listens that others can reach now. */
  readonly kept: readonly KeptPort[]
  readonly families: readonly AddressFamily[]
}

/** The rules that a hook lacks, and the ports that they must leave open. */
export interface Lacking {
  readonly rules: AddedRules
  readonly kept: readonly KeptPort[]
}

/** The rules that make good what is wrong. A policy that drops comes with rules for all that is to get in. */
export function addedFor({ wanted, hook, drift, kept, families }: Need): Lacking | Obstacle {
  const { allowed, default: usual } = wanted
  const isWrong = (name: string): boolean =>
    drift.some(({ property, path = '' }) => property === name || (property === 'stored' && path.startsWith(`${name} `)))
  const closes = isWrong('default')
  if (closes && hook === 'output') {
    return cannot(
      'a fix does not close outgoing traffic: allow the required outgoing connections in the firewall manager and drop the others there',
    )
  }
  const first: readonly AddedRule[] = [
    ...(isWrong('loopback') ? [{ kind: 'loopback' } as const] : []),
    ...(isWrong('spoofed_loopback') ? [{ kind: 'spoofed' } as const] : []),
  ]
  const last = closes ? stayingOpen(wanted, hook, kept) : usual === undefined ? closingRules(drift) : []
  return {
    rules: { hook, families, first, last, closes },
    kept: kept.filter(
      ({ protocol, port, isSsh }) => isSsh || allowed === undefined || isAllowed(allowed, protocol, [port, port]),
    ),
  }
}

/** What every host needs that has a network. */
const OF_A_HOST: readonly AddedRule[] = [{ kind: 'loopback' }, { kind: 'messages' }]

/** Without a list of ports, those stay open at which a process can be reached. */
function stayingOpen(
  { allowed, trusted_interfaces: trusted = [] }: FirewallDesired,
  hook: FilterHook,
  kept: readonly KeptPort[],
): readonly AddedRule[] {
  const ports = allowed ?? [...new Set(kept.map(({ protocol, port }) => `${protocol}:${port}`))]
  return [
    { kind: 'established' },
    ...trusted.map((name): AddedRule => ({ kind: 'interface', name })),
    ...(hook === 'forward' ? [] : OF_A_HOST),
    ...(hook === 'forward' ? [] : ports.map((each) => portRule(each, 'accept'))),
  ]
}

/** Behind all other rules, so that a port stays open that one of them opens. */
function closingRules(drift: readonly Drift[]): readonly AddedRule[] {
  const ports = drift.flatMap(({ property, path = '', note = '' }) =>
    property === 'allowed' && /accepted by (?:policy|the kernel)/.test(note)
      ? (/^((?:tcp|udp):\d+) at /.exec(path)?.[1] ?? [])
      : [],
  )
  const rules = [...new Set(ports)].map((each) => portRule(each, 'drop'))
  return rules.length === 0 ? [] : [{ kind: 'established' }, ...rules]
}

function portRule(port: string, verdict: 'accept' | 'drop'): AddedRule {
  const [protocol, ports = ''] = port.split(':')
  const [first = 0, last = first] = ports.split('-').map(Number)
  return { kind: 'port', protocol: protocol === 'udp' ? 'udp' : 'tcp', first, last, verdict }
}
