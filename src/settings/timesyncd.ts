import { known, type Reading } from '../model/observation.ts'
import type { Assignment } from './assignment.ts'
import { lastOf, type Networkd, readNetworkd } from './networkd.ts'
import { NO, systemdSurface, YES } from './systemd.ts'
import { seconds, text, words } from './systemd-values.ts'
import type { ConfigFiles, KeyRules, Surface } from './surface.ts'

/** What systemd-networkd knows from all interfaces. */
const STATE = '/run/systemd/netif/state'

/** The fallback servers depend on the distribution. */
const KEYS: Readonly<Record<string, KeyRules>> = {
  NTP: words(''),
  FallbackNTP: words(),
  RootDistanceMaxSec: seconds('5s'),
  PollIntervalMinSec: seconds('32s'),
  PollIntervalMaxSec: seconds('2048s'),
  ConnectionRetrySec: seconds('30s'),
  SaveIntervalSec: seconds('60s'),
}

const own = systemdSurface({
  name: 'timesyncd',
  section: 'Time',
  program: 'systemd-timesyncd',
  activation: { kind: 'restart', unit: 'systemd-timesyncd.service' },
  rulesOf: (key) => KEYS[key] ?? text(),
})

/** systemd's time client, which also asks the servers of each interface. @see timesyncd.conf(5), NTP= */
export const timesyncd: Surface = {
  ...own,
  summary: `${own.summary} If systemd-networkd is enabled, \`NTP\` also includes the servers in its \`.network\` files and those from DHCP (\`UseNTP\`). Servers from DHCP are unknown if the system does not run.`,
  read(files) {
    const [lines, others] = [own.read(files), serversOfNetworks(files)]
    if (lines.kind === 'unknown' || others.kind === 'unknown') return lines.kind === 'unknown' ? lines : others
    return known([...lines.value, ...others.value])
  },
}

function serversOfNetworks(files: ConfigFiles): Reading<readonly Assignment[]> {
  const networkd = readNetworkd(files)
  if (networkd.kind === 'unknown') return networkd
  const leased = serversOfLeases(files, networkd.value)
  if (leased.kind === 'unknown') return leased
  return known([
    ...networkd.value.networks.flatMap((lines) => {
      const servers = lines.filter(({ section, key }) => section === 'Network' && key === 'NTP')
      const reset = servers.findLastIndex(({ value }) => value === '')
      return servers.slice(reset + 1).map((each) => ({ ...each, section: 'Time' }))
    }),
    ...leased.value,
  ])
}

/** The servers that systemd-networkd takes from DHCP, which it notes for systemd-timesyncd. @see systemd.network(5), UseNTP= */
function serversOfLeases(files: ConfigFiles, { networks }: Networkd): Reading<readonly Assignment[]> {
  const [taker] = networks.flatMap((lines) => {
    const dhcp = lastOf(lines, 'Network', 'DHCP')
    return dhcp !== undefined && takesServers(lines, dhcp.value) ? [dhcp] : []
  })
  if (taker === undefined) return known([])
  const state = files.text(STATE)
  if (state.kind === 'unknown') return state
  if (state.value === null) {
    const unclear = `the servers from DHCP are unknown: set UseNTP=no in ${taker.file}`
    return known([{ ...taker, section: 'Time', key: 'NTP', value: '', unclear }])
  }
  return known(
    state.value.split('\n').flatMap((line, index) => {
      const [, value = ''] = /^NTP=(.*)$/.exec(line) ?? []
      return value === '' ? [] : [{ section: 'Time', key: 'NTP', value, file: STATE, line: index + 1 }]
    }),
  )
}

/** Whether DHCP, in one of its versions, may give servers. */
function takesServers(lines: readonly Assignment[], dhcp: string): boolean {
  const isFor = (version: string): boolean => YES.test(dhcp) || dhcp === 'both' || dhcp === version
  const isUsed = (section: string): boolean =>
    !NO.test((lastOf(lines, section, 'UseNTP') ?? lastOf(lines, 'DHCP', 'UseNTP'))?.value ?? '')
  return (isFor('ipv4') && isUsed('DHCPv4')) || (isFor('ipv6') && isUsed('DHCPv6'))
}
