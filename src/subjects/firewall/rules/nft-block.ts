import type { AddedRule, AddedRules, BaseChain } from './added.ts'
import type { AddressFamily } from './packets.ts'
import type { FilterHook } from './question.ts'

const BEGIN = '# What driftgate has added: from here'
const END = '# to here.'

/** Commands of nft that add rules to a base chain, which is made where it is missing. */
export function nftCommands(added: AddedRules, { family, table, name, base }: BaseChain): readonly string[] {
  const { hook, families, first, last, closes } = added
  const isWhole = families.length === 2
  const policy = closes && isWhole ? 'drop' : base.policy
  const at = `${family} ${table} ${name}`
  const lines = (rules: readonly AddedRule[]): readonly string[] => [
    ...new Set(rules.flatMap((rule) => nftRules(rule, hook, families))),
  ]
  return [
    `add table ${family} ${table}`,
    `add chain ${at} { type filter hook ${hook} priority ${base.priority}; policy ${policy}; }`,
    // Each goes before the one before it.
    ...lines(first)
      .toReversed()
      .map((rule) => `insert rule ${at} ${rule}`),
    ...lines(last).map((rule) => `add rule ${at} ${rule}`),
    ...(closes && !isWhole ? families.map((each) => `add rule ${at} ${matchFamily(each)} drop`) : []),
  ]
}

function matchFamily(family: AddressFamily): string {
  return `meta nfproto ${family === 'ip' ? 'ipv4' : 'ipv6'}`
}

function nftRules(rule: AddedRule, hook: FilterHook, families: readonly AddressFamily[]): readonly string[] {
  const [family] = families
  const prefix = families.length === 2 || family === undefined ? '' : `${matchFamily(family)} `
  switch (rule.kind) {
    case 'loopback':
      return [`${prefix}${hook === 'output' ? 'oifname' : 'iifname'} "lo" accept`]
    case 'spoofed':
      return families.map((each) => `iifname != "lo" ${each === 'ip' ? 'ip saddr 127.0.0.0/8' : 'ip6 saddr ::1'} drop`)
    case 'established':
      return [`${prefix}ct state established,related accept`]
    case 'messages':
      return families.flatMap((each) =>
        each === 'ip'
          ? ['ip protocol icmp accept']
          : ['meta l4proto ipv6-icmp accept', 'ip6 saddr fe80::/10 udp dport 546 accept'],
      )
    case 'interface':
      return [`${prefix}iifname "${rule.name.replace(/\+$/, '*')}" accept`]
    case 'port': {
      const { protocol, first, last, verdict } = rule
      return [`${prefix}${protocol} dport ${first === last ? first : `${first}-${last}`} ${verdict}`]
    }
  }
}

/** A file of nft with these commands at its end, behind those that were added earlier. */
export function withNftCommands(text: string, commands: readonly string[]): string {
  const [before, old = [], after = ''] = parts(text)
  // The newer policy of a chain counts.
  const kept = old.filter((line) => !commands.includes(line) && !commands.some((each) => isSameChain(each, line)))
  const own = [...commands.filter(isOfChain), ...kept, ...commands.filter((line) => !isOfChain(line))]
  const start = before === '' || before.endsWith('\n') ? before : `${before}\n`
  return `${start}${[BEGIN, ...own, END].join('\n')}\n${after}`
}

function parts(text: string): readonly [string, (readonly string[])?, string?] {
  const [start, end] = [text.indexOf(`${BEGIN}\n`), text.indexOf(`\n${END}\n`)]
  if (start === -1 || end < start) return [text]
  const inside = text.slice(start + BEGIN.length + 1, Math.max(end, start + BEGIN.length + 1))
  return [text.slice(0, start), inside.split('\n').filter((line) => line !== ''), text.slice(end + END.length + 2)]
}

function isOfChain(command: string): boolean {
  return /^add (?:table|chain) /.test(command)
}

function isSameChain(command: string, other: string): boolean {
  const [name] = /^add chain [^{]*/.exec(command) ?? []
  return name !== undefined && other.startsWith(name)
}
