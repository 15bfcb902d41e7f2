import { pathsIn } from '../../../host/paths-in.ts'
import { known, type Reading, unknown, type Unknown, readFirst, mapReading } from '../../../model/observation.ts'
import type { FirewallManager } from '../firewall.ts'
import type { AddressFamily } from '../rules/packets.ts'
import type { Ruleset } from '../rules/ruleset.ts'
import type { MachineReading } from '../../../host/live/machine-reading.ts'
import type { ShellFile } from '../../../settings/formats/shell.ts'
import { ALL_FIREWALL_UNITS, CHANGES_RULES, FIREWALL_UNITS } from '../../../settings/firewall-units.ts'
import { unitFilesOf } from '../../../settings/look.ts'
import { readServiceCommand } from '../../../settings/service-command.ts'
import { otherServices, readStarts, type UnitLine } from '../../../settings/service-unit.ts'
import { UFW_SETTINGS } from '../../../settings/ufw.ts'
import { askFor, type Questioner } from './ask.ts'
import { textsIn } from './texts.ts'

export type FirewallFiles = MachineReading

/** The rules that a manager loads when the system starts; `tryNft` tells what nft makes of a file. */
export async function readStored(
  manager: FirewallManager,
  machine: FirewallFiles,
  tryNft: (file: string) => Promise<Reading<Ruleset>>,
): Promise<Reading<Ruleset>> {
  const other = otherStart(manager, machine)
  if (other !== undefined) return other
  switch (manager) {
    case 'nftables':
      return storedOfNftables(machine, tryNft)
    case 'ufw':
      return storedOfUfw(machine)
    case 'iptables':
      return storedOfIptables(machine)
    case 'firewalld':
      return otherDirectory(machine) ?? storedOfFirewalld(machine)
  }
}

/**
 * Unknown if other commands may load or change rules at a start: those of a unit of the manager that no package sets, and
 * those of a unit or script that is no manager. What nftables.service loads instead is read.
 */
function otherStart(manager: FirewallManager, machine: FirewallFiles): Unknown | undefined {
  const files = unitFilesOf(machine)
  for (const unit of FIREWALL_UNITS[manager]) {
    const starts = readStarts(files, unit)
    if (starts.kind === 'unknown') return starts
    const { packaged = [], effective = [], besides = [] } = starts.value ?? {}
    const other = manager === 'nftables' ? undefined : effective.find(({ value }) => !packaged.includes(value))
    if (other !== undefined) return unknown('not-observable', `${unit} runs ${quoted(other)}`)
    const [beside] = besides
    if (beside !== undefined) return unknown('not-observable', `${unit} also runs ${quoted(beside)}`)
  }
  const isChange = ({ key, value }: UnitLine): boolean => key.startsWith('ExecStart') && CHANGES_RULES.test(value)
  const [service] = otherServices(files, ALL_FIREWALL_UNITS, isChange)
  if (service !== undefined) return unknown('not-observable', `${service} changes rules of the firewall, too`)
  return otherScript(machine)
}

function quoted({ value, file, line }: UnitLine): string {
  return `"${value}" (${file}:${line})`
}

/** What the system executes at its start besides units, or as a network interface comes up. @see rc-local.service(8), interfaces(5) */
const SCRIPTS = ['/etc/rc.local', '/etc/rc.d/rc.local', '/etc/network/interfaces']
const SCRIPT_DIRECTORIES = [
  ...['interfaces.d', 'if-pre-up.d', 'if-up.d'].map((name) => `/etc/network/${name}`),
  '/etc/NetworkManager/dispatcher.d',
]

function otherScript(machine: FirewallFiles): Unknown | undefined {
  const dropIns = pathsIn({ names: machine.list }, SCRIPT_DIRECTORIES)
  if (dropIns.kind === 'unknown') return dropIns
  for (const path of [...SCRIPTS, ...dropIns.value]) {
    const seen = machine.stat(path)
    if (seen.kind === 'unknown') return seen
    if (seen.kind === 'absent' || seen.state.kind !== 'file') continue
    const text = machine.readText(path)
    if (text.kind === 'unknown') return text
    const line = (text.value ?? '').split('\n').findIndex((each) => !/^[ \t]*#/.test(each) && CHANGES_RULES.test(each))
    if (line >= 0) return unknown('not-observable', `${path}:${line + 1} may change rules of the firewall`)
  }
  return undefined
}

/** What nftables.service loads: on Debian, on Red Hat. */
export const NFT_FILES: readonly string[] = ['/etc/nftables.conf', '/etc/sysconfig/nftables.conf']
/** Loaded where no other rules are and no packet comes, and listed there. */
const TRY = 'nft -f "$1" && nft -j list ruleset && exec nft -a list ruleset'

/** Unknown if firewalld is told to read other directories. @see firewalld(1), --system-config */
function otherDirectory(machine: FirewallFiles): Unknown | undefined {
  const words = readServiceCommand(unitFilesOf(machine), ['firewalld.service'], ['firewalld'])
  if (words.kind === 'unknown') return words
  const other = words.value.find(({ text }) => /^--(?:system|default)-config/.test(text))
  return other === undefined
    ? undefined
    : unknown('not-observable', `firewalld.service has the option "${other.text}" (${other.file}:${other.line})`)
}

async function storedOfNftables(
  machine: FirewallFiles,
  tryNft: (file: string) => Promise<Reading<Ruleset>>,
): Promise<Reading<Ruleset>> {
  const starts = readStarts(unitFilesOf(machine), 'nftables.service')
  if (starts.kind === 'unknown') return starts
  const [start, ...others] = starts.value?.effective ?? []
  if (start !== undefined) {
    const [, named] = /^[@\-:+!|]*\S*\/nft -f (\/\S+)$/.exec(start.value) ?? []
    if (named !== undefined && others.length === 0) return tryNft(named)
    return unknown('not-observable', `nftables.service runs "${start.value}" (${start.file}:${start.line})`)
  }
  for (const file of NFT_FILES) {
    const text = machine.readText(file)
    if (text.kind === 'unknown') return text
    if (text.value === null) continue
    return tryNft(file)
  }
  return unknown('not-observable', `nftables.service has no file to load: neither ${NFT_FILES.join(' nor ')} exists`)
}

/** What a file loads by its text, where nft cannot be asked. */
export async function readNftRules(file: string, machine: FirewallFiles): Promise<Reading<Ruleset>> {
  const { readNftFile } = await import('../rules/nft-file.ts')
  const listed = readNftFile(file, machine)
  if (listed.kind === 'unknown') return listed
  const { rulesetOf } = await import('../rules/whole.ts')
  return toReading(rulesetOf(listed.value), file)
}

/** What nft makes of a file where no other rules are. */
export async function tryNftFile(file: string, questioner: Questioner): Promise<Reading<Ruleset>> {
  const listed = await askFor(['unshare', '--net', 'sh', '-c', TRY, 'sh', file], questioner)
  if (listed.kind === 'unknown') return unknown(listed.reason, `cannot test ${file}: ${reasonOf(listed.detail)}`)
  const [nft = '', ...lines] = listed.value.split('\n')
  const { rulesetOf } = await import('../rules/whole.ts')
  return toReading(rulesetOf({ nft, texts: textsIn(lines.join('\n')) }), file)
}

function reasonOf(detail: string): string {
  return detail.slice(detail.lastIndexOf(`${TRY} sh `) + TRY.length + 4)
}

/** One family after another, as `iptables-restore` reads them; undefined where there is no such file. */
async function ofFiles(
  textOf: (family: 'ip' | 'ip6') => Promise<Reading<string>>,
  what: string,
): Promise<Reading<Ruleset>> {
  const ip = await textOf('ip')
  if (ip.kind === 'unknown') return ip
  const ip6 = await textOf('ip6')
  if (ip6.kind === 'unknown') return ip6
  const { rulesetOf } = await import('../rules/whole.ts')
  return toReading(rulesetOf({ translated: { ip: ip.value, ip6: ip6.value } }), what)
}

/** What netfilter-persistent loads on Debian, and the services on Red Hat. */
export const IPTABLES_FILES: Readonly<Record<AddressFamily, readonly string[]>> = {
  ip: ['/etc/iptables/rules.v4', '/etc/sysconfig/iptables'],
  ip6: ['/etc/iptables/rules.v6', '/etc/sysconfig/ip6tables'],
}

async function storedOfIptables(machine: FirewallFiles): Promise<Reading<Ruleset>> {
  return ofFiles(
    async (family) => mapReading(readFirst(IPTABLES_FILES[family], machine.readText), (text) => text ?? ''),
    'the rules of /etc/iptables',
  )
}

async function storedOfUfw(machine: FirewallFiles): Promise<Reading<Ruleset>> {
  for (const hook of ['/etc/ufw/before.init', '/etc/ufw/after.init']) {
    const seen = machine.stat(hook)
    if (seen.kind === 'unknown') return seen
    if (seen.kind === 'present' && (seen.state.mode & 0o111) !== 0) {
      return unknown('not-observable', `ufw runs ${hook}, which may load arbitrary rules`)
    }
  }
  const { ufwRules } = await import('../rules/ufw-files.ts')
  return ofFiles(async (family) => {
    const type = family === 'ip' ? '' : '6'
    const names = [...UFW_SETTINGS, ...['before', 'after', 'user'].map((name) => `/etc/ufw/${name}${type}.rules`)]
    const files: ShellFile[] = []
    for (const file of names) {
      const text = machine.readText(file)
      if (text.kind === 'unknown') return text
      if (text.value === null) return unknown('not-observable', `ufw is enabled, but ${file} does not exist`)
      files.push({ file, text: text.value })
    }
    const [before = '', after = '', user = ''] = files.splice(UFW_SETTINGS.length).map(({ text }) => text)
    const rules = ufwRules({ settings: files, before, after, user }, family)
    return rules === undefined
      ? unknown('invalid', `${UFW_SETTINGS.join(', ')}: a default policy is neither ACCEPT, DROP nor REJECT`)
      : known(rules)
  }, 'the rules of /etc/ufw')
}

/** What firewalld makes of its zones, where they are in `directory` or come with the package. */
export async function storedOfFirewalld(
  machine: Pick<FirewallFiles, 'readText' | 'list'>,
  directory?: string,
): Promise<Reading<Ruleset>> {
  const { readFirewalldFiles } = await import('./firewalld.ts')
  const files = readFirewalldFiles(machine, directory)
  if (files.kind === 'unknown') return files
  const { firewalldRules } = await import('../rules/firewalld/rules.ts')
  return ofFiles(async (family) => {
    const rules = firewalldRules(files.value, family)
    return 'problem' in rules ? unknown('not-observable', `firewalld: ${rules.problem}`) : known(rules.text)
  }, 'the zones of firewalld')
}

function toReading(rules: Ruleset | undefined, what: string): Reading<Ruleset> {
  return rules === undefined ? unknown('invalid', `${what}: cannot be loaded`) : known(rules)
}
