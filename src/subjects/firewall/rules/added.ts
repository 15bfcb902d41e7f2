import { parseIptablesSave } from './iptables-save.ts'
import { type AddressFamily, FAMILY_NUMBER, singleValue } from './packets.ts'
import type { FilterHook } from './question.ts'
import { type Base, type Chain, chainName, type FirewallRule, type Ruleset, matchAny } from './ruleset.ts'

/** A rule that a fix adds, for any manager. */
export type AddedRule =
  /** Accept loopback traffic. */
  | { readonly kind: 'loopback' }
  /** Drop packets with a spoofed address of the machine itself. */
  | { readonly kind: 'spoofed' }
  /** Accept packets of established connections. */
  | { readonly kind: 'established' }
  /** Accept ICMP, which IPv6 neighbour discovery needs, and replies to DHCPv6 clients. */
  | { readonly kind: 'messages' }
  /** Accept packets that arrive at an interface. */
  | { readonly kind: 'interface'; readonly name: string }
  | {
      readonly kind: 'port'
      readonly verdict: 'accept' | 'drop'
      readonly protocol: 'tcp' | 'udp'
      readonly first: number
      readonly last: number
    }

/** Changes of a fix at a hook. */
export interface AddedRules {
  readonly hook: FilterHook
  readonly families: readonly AddressFamily[]
  /** Rules before all others. */
  readonly first: readonly AddedRule[]
  /** Rules after all others. */
  readonly last: readonly AddedRule[]
  /** Whether packets without a matching rule are dropped. */
  readonly closes: boolean
}

/** iptables arguments of a rule, after the chain name; empty if the rule does not apply to the family. */
export function iptablesWords(rule: AddedRule, hook: FilterHook, family: AddressFamily): readonly string[] {
  switch (rule.kind) {
    case 'loopback':
      return [hook === 'output' ? '-o lo -j ACCEPT' : '-i lo -j ACCEPT']
    case 'spoofed':
      return [`! -i lo -s ${family === 'ip' ? '127.0.0.0/8' : '::1/128'} -j DROP`]
    case 'established':
      return ['-m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT']
    case 'messages':
      return family === 'ip'
        ? ['-p icmp -j ACCEPT']
        : ['-p ipv6-icmp -j ACCEPT', '-s fe80::/10 -p udp -m udp --dport 546 -j ACCEPT']
    case 'interface':
      return [`-i ${rule.name} -j ACCEPT`]
    case 'port': {
      const { protocol, first, last, verdict } = rule
      const ports = first === last ? `${first}` : `${first}:${last}`
      return [`-p ${protocol} -m ${protocol} --dport ${ports} -j ${verdict === 'accept' ? 'ACCEPT' : 'DROP'}`]
    }
  }
}

/** Base chain of nftables that gets the rules; created if missing. */
export interface BaseChain {
  readonly family: string
  readonly table: string
  readonly name: string
  readonly base: Base
}

/** The base chain of type filter that nft adds to: the last one of `inet` at the hook, or a new one with the usual name. */
export function baseChainFor(rules: readonly Ruleset[], hook: FilterHook): BaseChain {
  for (const { chains } of rules) {
    const own = chains.flatMap(({ family, table, name, base }) =>
      family === 'inet' && base?.hook === hook && base.type === 'filter' ? [{ family, table, name, base }] : [],
    )
    const last = own.toSorted((left, right) => left.base.priority - right.base.priority).at(-1)
    if (last !== undefined) return last
  }
  const base: Base = { hook, type: 'filter', priority: 0, policy: 'accept' }
  // To add a dormant table activates all its chains.
  const isDormant = rules.some(
    ({ tables, chains }) =>
      !tables.includes('inet filter') && chains.some(({ family, table }) => `${family} ${table}` === 'inet filter'),
  )
  return { family: 'inet', table: isDormant ? 'driftgate' : 'filter', name: hook, base }
}

/** The ruleset after nft adds the rules to a chain. */
export function withNftRules(ruleset: Ruleset, added: AddedRules, place: BaseChain): Ruleset {
  const isWhole = added.families.length === 2
  const rest = added.closes && !isWhole ? [dropRule(added.families)] : []
  const of = (rules: readonly AddedRule[]): readonly FirewallRule[] =>
    added.families.flatMap((family) =>
      modelRules(rules, added.hook, family).map(({ text, steps }) => ({
        text,
        steps: [matchAny({ family: singleValue(FAMILY_NUMBER[family]) }), ...steps],
      })),
    )
  const chain = ruleset.chains.find((each) => chainName(each) === chainName({ ...place, rules: [] }))
  return replaceChain(ruleset, {
    ...place,
    base: { ...place.base, ...chain?.base, ...(added.closes && isWhole ? { policy: 'drop' } : {}) },
    rules: [...of(added.first), ...(chain?.rules ?? []), ...of(added.last), ...rest],
  })
}

function dropRule(families: readonly AddressFamily[]): FirewallRule {
  const packets = families.map((family) => ({ family: singleValue(FAMILY_NUMBER[family]) }))
  return { text: 'drop', steps: [matchAny(...packets), { kind: 'drop' }] }
}

/** The ruleset after iptables adds the rules; `where` is a prefix of the table name, as in `rulesetOf`. */
export function withIptablesRules(ruleset: Ruleset, added: AddedRules, where = ''): Ruleset {
  return added.families.reduce((rules, family): Ruleset => {
    const own = { family, table: `${where}filter`, name: added.hook.toUpperCase() }
    const chain = rules.chains.find((each) => chainName(each) === chainName({ ...own, rules: [] }))
    const base = chain?.base ?? { hook: added.hook, type: 'filter', priority: 0, policy: 'accept' as const }
    return replaceChain(rules, {
      ...own,
      base: added.closes ? { ...base, policy: 'drop' } : base,
      rules: [
        ...modelRules(added.first, added.hook, family),
        ...(chain?.rules ?? []),
        ...modelRules(added.last, added.hook, family),
      ],
    })
  }, ruleset)
}

/** Whether before.rules of ufw already contains such a rule. */
export function isOfUfw({ kind }: AddedRule): boolean {
  return kind === 'established' || kind === 'messages'
}

/** The ruleset after ufw adds the rules to its user rules. */
export function withUfwRules(ruleset: Ruleset, added: AddedRules): Ruleset {
  const { hook, closes, first } = added
  const last = added.last.filter((rule) => !isOfUfw(rule))
  return (['ip', 'ip6'] as const).reduce((rules, family): Ruleset => {
    const prefix = family === 'ip' ? 'ufw' : 'ufw6'
    const own = (kind: string): string => `${family} filter ${prefix}-${kind}-${hook}`
    const chains = rules.chains.map((chain): Chain => {
      switch (chainName(chain)) {
        case own('user'):
          return {
            ...chain,
            rules: [...modelRules(first, hook, family), ...chain.rules, ...modelRules(last, hook, family)],
          }
        case own('track'):
          return closes ? { ...chain, rules: [] } : chain
        case own('skip-to-policy'):
          return closes ? { ...chain, rules: [{ text: '-j DROP', steps: [{ kind: 'drop' }] }] } : chain
        case `${family} filter ${hook.toUpperCase()}`:
          return closes && chain.base ? { ...chain, base: { ...chain.base, policy: 'drop' } } : chain
        default:
          return chain
      }
    })
    return { ...rules, chains }
  }, ruleset)
}

/** Models the rules as iptables writes them, for every manager. */
export function modelRules(
  rules: readonly AddedRule[],
  hook: FilterHook,
  family: AddressFamily,
): readonly FirewallRule[] {
  const lines = rules.flatMap((rule) => iptablesWords(rule, hook, family)).map((words) => `-A added ${words}\n`)
  return parseIptablesSave(`*filter\n:added -\n${lines.join('')}COMMIT\n`, family)?.[0]?.rules ?? []
}

function replaceChain({ tables, chains }: Ruleset, chain: Chain): Ruleset {
  const name = chainName(chain)
  const at = chains.findIndex((each) => chainName(each) === name)
  return { tables, chains: at === -1 ? [...chains, chain] : chains.with(at, chain) }
}
