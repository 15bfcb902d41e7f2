import { withBlanksOfC } from '../../../../settings/blanks.ts'
import { type AddedRule, type AddedRules, modelRules } from '../added.ts'
import type { AddressFamily } from '../packets.ts'
import type { Chain, FirewallRule, Ruleset } from '../ruleset.ts'
import { FIREWALLD_TABLE, ZONE_CHAIN } from './rules.ts'

/** What firewall-offline-cmd is told, one after another. `stored` are the rules that firewalld makes of its zones so far. */
export function firewalldOptions(stored: Ruleset, added: AddedRules): readonly (readonly string[])[] {
  const change = changeOf(stored, added)
  const rules = [...added.first, ...added.last]
  return [
    ...(change.usual === undefined ? [] : [[`--set-default-zone=${change.usual}`]]),
    ...change.trusted.map((name) => ['--zone=trusted', `--change-interface=${name}`]),
    ...change.zones.flatMap((zone) =>
      rules.flatMap((rule) => optionsOf(rule, added.families)).map((option) => [`--zone=${zone}`, option]),
    ),
    ...change.closed.map((zone) => [`--zone=${zone}`, '--set-target=default']),
  ]
}

/** What the rules are once firewalld has been told so. */
export function withFirewalldRules(stored: Ruleset, added: AddedRules): Ruleset {
  const { zones, closed, trusted, usual } = changeOf(stored, added)
  const chains = stored.chains.map((chain): Chain => {
    if (chain.table !== FIREWALLD_TABLE) return chain
    const family = chain.family === 'ip6' ? 'ip6' : 'ip'
    const of = (rules: readonly AddedRule[]): readonly FirewallRule[] =>
      added.families.includes(family) ? modelRules(rules.filter(isOfZones), added.hook, family) : []
    if (chain.name === 'INPUT') {
      const rules = usual === undefined ? chain.rules : [...chain.rules.slice(0, -1), dispatchRule(usual)]
      const own = trusted.map((name): AddedRule => ({ kind: 'interface', name }))
      // Behind what goes by its source.
      const at = rules.findIndex(({ text }) => withBlanksOfC(/^(?:-A INPUT )?(?:-i \S+ )?-g /).test(text))
      return { ...chain, rules: rules.toSpliced(at, 0, ...modelRules(own, added.hook, family)) }
    }
    const zone = chain.name.slice(ZONE_CHAIN.length)
    if (!chain.name.startsWith(ZONE_CHAIN) || !zones.includes(zone)) return chain
    const target: readonly FirewallRule[] = closed.includes(zone) ? [REJECTING] : chain.rules.slice(-1)
    return { ...chain, rules: [...of(added.first), ...chain.rules.slice(0, -1), ...of(added.last), ...target] }
  })
  return { ...stored, chains }
}

const REJECTING: FirewallRule = { text: '-j REJECT', steps: [{ kind: 'drop' }] }

function dispatchRule(zone: string): FirewallRule {
  return { text: `-g ${ZONE_CHAIN}${zone}`, steps: [{ kind: 'goto', chain: `${ZONE_CHAIN}${zone}` }] }
}

interface ZoneChange {
  /** Those that get the rules: what comes in may be in any of them. */
  readonly zones: readonly string[]
  /** Those that reject from then on what they accepted. */
  readonly closed: readonly string[]
  /** Interfaces that are put into the zone that accepts everything. */
  readonly trusted: readonly string[]
  readonly usual?: string
}

/** The zone `trusted` stays what it is: where it is the default one, another becomes that. */
const TRUSTED = 'trusted'
const USUAL = 'public'

function changeOf({ chains }: Ruleset, { closes, last }: AddedRules): ZoneChange {
  const own = chains.filter(({ table }) => table === FIREWALLD_TABLE)
  const targets = own
    .filter(({ name }) => name === 'INPUT')
    .flatMap(({ rules }) =>
      rules.flatMap(({ steps }) => steps.flatMap((step) => (step.kind === 'goto' ? step.chain : []))),
    )
  const names = [...new Set(targets.map((chain) => chain.slice(ZONE_CHAIN.length)))]
  const isOpen = (zone: string): boolean =>
    own.some(({ name, rules }) => name === `${ZONE_CHAIN}${zone}` && rules.at(-1)?.steps.at(-1)?.kind === 'accept')
  const usual = closes && targets.at(-1) === `${ZONE_CHAIN}${TRUSTED}` ? USUAL : undefined
  const zones = [...new Set([...names, ...(usual === undefined ? [] : [usual])])].filter((zone) => zone !== TRUSTED)
  return {
    zones,
    closed: closes ? zones.filter(isOpen) : [],
    trusted: last.flatMap((rule) => (rule.kind === 'interface' ? rule.name : [])),
    ...(usual === undefined ? {} : { usual }),
  }
}

/** The others stand before all zones, or are nothing that firewalld asks. */
function isOfZones({ kind }: AddedRule): boolean {
  return kind === 'spoofed' || kind === 'port'
}

function optionsOf(rule: AddedRule, families: readonly AddressFamily[]): readonly string[] {
  switch (rule.kind) {
    case 'spoofed':
      return families.map((family) =>
        family === 'ip'
          ? '--add-rich-rule=rule family="ipv4" source address="127.0.0.0/8" drop'
          : '--add-rich-rule=rule family="ipv6" source address="::1" drop',
      )
    case 'port': {
      const { protocol, first, last, verdict } = rule
      const ports = first === last ? `${first}` : `${first}-${last}`
      if (verdict === 'accept') return [`--add-port=${ports}/${protocol}`]
      return [`--add-rich-rule=rule priority="32767" port port="${ports}" protocol="${protocol}" drop`]
    }
    case 'loopback':
    case 'established':
    case 'messages':
    case 'interface':
      return []
  }
}
