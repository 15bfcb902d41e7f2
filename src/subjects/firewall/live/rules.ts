import process from 'node:process'
import { known, type Reading, unknown } from '../../../model/observation.ts'
import type { Firewall, FirewallManager } from '../firewall.ts'
import type { RuleTexts } from '../rules/nft-json.ts'
import type { Ruleset } from '../rules/ruleset.ts'
import type { SystemProbe } from '../../../host/probe.ts'
import { readFollowedStat } from '../../../host/live/file-stat.ts'
import { readRealPath } from '../../../host/live/tree-reader.ts'
import { findProgram } from '../../../host/live/find-program.ts'
import { SYSTEM_PATH } from '../../../host/live/system-programs.ts'
import { askFor, type Questioner } from './ask.ts'
import { textsIn } from './texts.ts'

/** What of the machine is needed. */
export interface FirewallReader {
  readonly probe: SystemProbe
  /** Where programs are looked for. */
  readonly searchPath?: string
  /** The variables of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>
}

/** The firewall of this machine; its rules are read once. */
export function openFirewall({
  probe,
  searchPath = SYSTEM_PATH,
  environment = process.env,
}: FirewallReader): Firewall & {
  readonly forget: () => void
} {
  let read: Promise<Reading<Ruleset>> | undefined
  const stored = new Map<FirewallManager, Promise<Reading<Ruleset>>>()
  return {
    rules: (signal) => (read ??= readRules(probe, { searchPath, signal })),
    async stored(manager, signal) {
      const known = stored.get(manager)
      if (known !== undefined) return known
      const asked = import('./stored.ts').then(({ readStored, tryNftFile }) =>
        readStored(manager, { ...probe, stat: readFollowedStat, realPath: readRealPath }, (file) =>
          tryNftFile(file, { searchPath, signal }),
        ),
      )
      stored.set(manager, asked)
      return asked
    },
    session() {
      const port = Number(environment['SSH_CONNECTION']?.split(' ')[3])
      return Number.isInteger(port) ? port : undefined
    },
    forget() {
      read = undefined
      stored.clear()
    },
  }
}

type Saved = Readonly<Partial<Record<'ip' | 'ip6', string>>>

async function readRules(probe: SystemProbe, questioner: Questioner): Promise<Reading<Ruleset>> {
  const nft = await readNft(probe, questioner)
  if (nft.kind === 'unknown') return nft
  const legacy = await readLegacy(probe, questioner)
  if (legacy.kind === 'unknown') return legacy
  const { listing, texts } = nft.value
  const translated = listing?.includes('"xt":') === true ? await readTranslated(questioner) : {}
  // What understands rules is large, and few scans need it.
  const { rulesetOf } = await import('../rules/whole.ts')
  const rules = rulesetOf({
    ...(listing === undefined ? {} : { nft: listing }),
    texts,
    translated,
    legacy: legacy.value,
  })
  return rules === undefined ? unknown('invalid', 'the output of nft or iptables-save is not a ruleset') : known(rules)
}

interface NftListing {
  readonly listing?: string
  readonly texts: RuleTexts
}

async function readNft(probe: SystemProbe, questioner: Questioner): Promise<Reading<NftListing>> {
  if (findProgram('nft', questioner.searchPath.split(':')) === undefined) {
    if (isWithoutNftables(probe)) return known({ texts: new Map() })
    return unknown('not-observable', 'nft is not installed, so the kernel rules cannot be listed: install nftables')
  }
  const listing = await askFor(['nft', '-j', 'list', 'ruleset'], questioner)
  if (listing.kind === 'unknown') return listing
  // Its text is what people know their rules by; without it they have numbers.
  const text = await askFor(['nft', '-a', 'list', 'ruleset'], questioner)
  return known({ listing: listing.value, texts: text.kind === 'known' ? textsIn(text.value) : new Map() })
}

/** A kernel whose modules are all known, and this one is neither loaded nor part of it. */
function isWithoutNftables(probe: SystemProbe): boolean {
  const modules = probe.readText('/proc/modules')
  const release = probe.readText('/proc/sys/kernel/osrelease')
  if (modules.kind === 'unknown' || release.kind === 'unknown' || modules.value === null) return false
  const builtIn = probe.readText(`/lib/modules/${(release.value ?? '').trim()}/modules.builtin`)
  if (builtIn.kind === 'unknown' || builtIn.value === null) return false
  return !/^nf_tables /m.test(modules.value) && !builtIn.value.includes('/nf_tables.ko')
}

const FAMILIES = [
  { family: 'ip', names: '/proc/net/ip_tables_names', program: 'iptables' },
  { family: 'ip6', names: '/proc/net/ip6_tables_names', program: 'ip6tables' },
] as const

/** The older interface of iptables, which nft knows nothing of. Where its module is not loaded, there are no such rules. */
async function readLegacy(probe: SystemProbe, questioner: Questioner): Promise<Reading<Saved>> {
  const saved: Partial<Record<'ip' | 'ip6', string>> = {}
  for (const { family, names, program } of FAMILIES) {
    const tables = probe.readText(names)
    if (tables.kind === 'unknown') return tables
    if (tables.value === null || tables.value.trim() === '') continue
    const listing = await askFor([`${program}-legacy-save`], questioner)
    if (listing.kind === 'unknown') return listing
    saved[family] = listing.value
  }
  return known(saved)
}

/** What iptables says of the tables that it made. Where it does not, their rules stay as unclear as nft prints them. */
async function readTranslated(questioner: Questioner): Promise<Saved> {
  const saved: Partial<Record<'ip' | 'ip6', string>> = {}
  for (const { family, program } of FAMILIES) {
    const listing = await askFor([`${program}-nft-save`], questioner)
    if (listing.kind === 'known') saved[family] = listing.value
  }
  return saved
}
