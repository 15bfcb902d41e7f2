import { parseIptablesSave } from './iptables-save.ts'
import { parseNftRuleset, type RuleTexts } from './nft-json.ts'
import type { AddressFamily } from './packets.ts'
import type { Chain, Ruleset } from './ruleset.ts'

export interface RulesetTexts {
  /** What `nft -j list ruleset` prints; absent where the kernel has no such rules. */
  readonly nft?: string
  readonly texts?: RuleTexts
  /** What `iptables-nft-save` prints of the tables that iptables made in nftables. */
  readonly translated?: Readonly<Partial<Record<AddressFamily, string>>>
  /** What `iptables-legacy-save` prints. */
  readonly legacy?: Readonly<Partial<Record<AddressFamily, string>>>
}

/** What stands before the name of a table that nftables knows nothing of. */
const LEGACY = 'legacy '

/** All rules together; undefined where a text is not what its program prints. */
export function rulesetOf({ nft, texts, translated = {}, legacy = {} }: RulesetTexts): Ruleset | undefined {
  // A mark that the older interface sets is one for rules of nftables, too.
  const marksElsewhere = /mark/i.test(`${legacy.ip ?? ''}${legacy.ip6 ?? ''}`)
  const listed = nft === undefined ? { tables: [], chains: [] } : parseNftRuleset(nft, { texts, marksElsewhere })
  const own = chainsOf(translated, '')
  const old = chainsOf(legacy, LEGACY)
  if (listed === undefined || own === undefined || old === undefined) return undefined
  // nft does not print what the extensions of iptables do; iptables does.
  const known = new Set(own.map(tableOf))
  return {
    tables: [...listed.tables, ...new Set(old.map(tableOf))],
    chains: [...listed.chains.filter((chain) => !known.has(tableOf(chain))), ...own, ...old],
  }
}

function chainsOf(
  saved: Readonly<Partial<Record<AddressFamily, string>>>,
  where: string,
): readonly Chain[] | undefined {
  const parsed = (['ip', 'ip6'] as const).map((family) => parseIptablesSave(saved[family] ?? '', family, where))
  return parsed.includes(undefined) ? undefined : parsed.flatMap((chains) => chains ?? [])
}

function tableOf({ family, table }: Chain): string {
  return `${family} ${table}`
}
