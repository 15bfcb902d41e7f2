import { type Intent, type Keeper, systemCommand, keptPaths, withTarget } from '../../host/keeping.ts'
import type { StoredCommand } from '../../host/command.ts'
import { readingOf } from '../../host/live/machine-reading.ts'
import { needsRunningSystem, refusedAtRest } from '../../host/offline.ts'
import type { WritableSubject } from '../../host/remediator.ts'
import type { ReadableSubject } from '../../host/target.ts'
import type { Firewall, FirewallChange, FirewallControl, FirewallManager } from './firewall.ts'
import { createFirewallControl } from './live/control.ts'
import { openFirewall } from './live/rules.ts'
import type { Ruleset } from './rules/ruleset.ts'

/** The firewall: rules in force by nft and iptables-save, and stored ones of nftables, iptables, ufw and firewalld. */
export const FIREWALL: ReadableSubject<Firewall> & WritableSubject<FirewallControl> = {
  name: 'firewall',
  read: {
    live: ({ probe }) => openFirewall({ probe }),
    atRest: ({ startFiles }) => ({
      rules: async () => needsRunningSystem('the firewall'),
      async stored(manager) {
        const { readNftRules, readStored } = await import('./live/stored.ts')
        const machine = readingOf(startFiles)
        return readStored(manager, machine, (file) => readNftRules(file, machine))
      },
      session: () => undefined,
    }),
    answering: (firewall, { read }) => ({
      rules: async (signal) => read('firewall', () => firewall.rules(signal), NO_FIREWALL),
      stored: async (manager, signal) => read('firewall', () => firewall.stored(manager, signal), NO_FIREWALL),
      session: () => firewall.session(),
    }),
  },
  write: {
    live: (journal) => createFirewallControl(journal),
    atRest: () => ({ change: refusedAtRest('firewall rules'), load: refusedAtRest('firewall rules') }),
    keeping: (firewall, keeper) => ({
      change: (change, judge, signal) =>
        keeper.keep(intentOf(change, keeper), () => firewall.change(change, judge, signal)),
      load: (rules, signal) =>
        keeper.keep({ things: [{ kind: 'rules', name: rules.program }] }, () => firewall.load(rules, signal)),
    }),
  },
}

const NO_FIREWALL: Ruleset = { tables: [], chains: [] }

/** The files of each manager, and the command that loads them where its rules in force are nowhere else. */
const MANAGERS: Readonly<
  Record<FirewallManager, { readonly files: readonly string[]; readonly load?: StoredCommand['argv'] }>
> = {
  nftables: { files: ['/etc/nftables.conf', '/etc/sysconfig/nftables.conf'] },
  ufw: { files: ['/etc/default/ufw', '/etc/ufw'] },
  firewalld: { files: ['/etc/firewalld'], load: ['firewall-cmd', '--reload'] },
  iptables: { files: ['/etc/iptables', '/etc/sysconfig/iptables', '/etc/sysconfig/ip6tables'] },
}

const IPTABLES = { ip: 'iptables', ip6: 'ip6tables' } as const

function intentOf(change: FirewallChange, { target }: Keeper): Intent {
  const { files, load } = MANAGERS[change.manager]
  const rules = rulesOf(change).map((name) => ({ kind: 'rules', name }))
  const things = [...keptPaths(files.flatMap((path) => withTarget(target, path))).things, ...rules]
  return { things, ...(load !== undefined && { again: systemCommand(load) }) }
}

/** The rules in force that a change is about. They are restored themselves: not all of them are stored, nor all stored ones in force. */
function rulesOf({ manager, place, added, halves }: FirewallChange): readonly string[] {
  if (halves.inForce === 'kept') return []
  if (manager === 'firewalld') return []
  if (manager !== 'nftables') return added.families.map((family) => IPTABLES[family])
  return [halves.inForce === 'added' ? `nft ${place.family} ${place.table}` : 'nft']
}
