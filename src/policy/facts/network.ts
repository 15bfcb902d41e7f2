import type { InterfaceAddress, SystemProbe } from '../../host/probe.ts'
import { ANY_SHAPE, listShape, mapShape } from '../template/index.ts'
import {
  type FactFamily,
  type FactMap,
  factOf,
  toFactMap,
  group,
  integerOf,
  linesOf,
  textOf,
  valuesShape,
  watchReading,
} from './family.ts'

const INTERFACE = ['index', 'mtu', 'name', 'hardwareAddr', 'flags']

export const network: FactFamily = {
  name: 'network',
  summary: 'Network interfaces, their addresses, and the addresses that reach the outside.',
  shape: mapShape({
    interfaces: listShape(valuesShape(INTERFACE, { addrs: listShape(valuesShape(['addr'])) })),
    addresses: listShape(valuesShape(['interface', 'address', 'ipv4', 'default'])),
    default_ipv4: ANY_SHAPE,
    default_ipv6: ANY_SHAPE,
  }),
  gather({ probe }) {
    const all = probe.addresses()
    const global = all.filter(isGlobal)
    const [defaults, trouble] = watchReading(
      probe,
      (watched) => new Map([4, 6].map((version) => [version, defaultAddress(watched, global, version)])),
    )
    return group({
      interfaces: factOf(probe, (watched) => interfaces(watched, all)),
      addresses:
        trouble ??
        global.map((entry) =>
          toFactMap({
            interface: entry.interfaceName,
            address: entry.address,
            ipv4: entry.version === 4,
            default: defaults.get(entry.version) === entry.address,
          }),
        ),
      default_ipv4: trouble ?? defaults.get(4) ?? '',
      default_ipv6: trouble ?? defaults.get(6) ?? '',
    })
  },
}

/** Flags of `struct ifreq` (netdevice(7)), named as in gopsutil. */
const FLAGS: readonly (readonly [number, string])[] = [
  [0x1, 'up'],
  [0x2, 'broadcast'],
  [0x8, 'loopback'],
  [0x10, 'pointtopoint'],
  [0x1000, 'multicast'],
]

function interfaces(probe: SystemProbe, all: readonly InterfaceAddress[]): readonly FactMap[] {
  const names = probe.list('/sys/class/net')
  if (names.kind === 'unknown' || names.value === null) return []
  return names.value
    .flatMap((name) => {
      const about = (file: string): string | null => textOf(probe, `/sys/class/net/${name}/${file}`)
      const index = integerOf(about('ifindex'))
      if (index === null) return []
      const flags = Number.parseInt(about('flags') ?? '0', 16)
      const hardwareAddr = about('address') ?? ''
      const addrs = all.filter(({ interfaceName }) => interfaceName === name)
      return [
        toFactMap({
          index,
          mtu: integerOf(about('mtu')) ?? 0n,
          name,
          hardwareAddr: /^[0:]*$/.test(hardwareAddr) ? '' : hardwareAddr,
          flags: FLAGS.filter(([bit]) => (flags & bit) !== 0).map(([, word]) => word),
          addrs: addrs.map(({ cidr }) => toFactMap({ addr: cidr })),
        }),
      ]
    })
    .toSorted((left, right) => Number(left.get('index')) - Number(right.get('index')))
}

/** Not loopback, link-local, multicast or unspecified. */
function isGlobal({ address, internal }: InterfaceAddress): boolean {
  return !internal && !/^(127\.|169\.254\.|22[4-9]\.|23\d\.|0\.0\.0\.0$|fe[89ab]|ff|::1?$)/i.test(address)
}

/** The last global address on the interface of the default route with the lowest metric. */
function defaultAddress(probe: SystemProbe, global: readonly InterfaceAddress[], version: number): string {
  const routes = version === 4 ? routesV4(probe) : routesV6(probe)
  const [route] = routes.toSorted((left, right) => left.metric - right.metric)
  const reachable = global.filter((entry) => entry.version === version && entry.interfaceName === route?.interfaceName)
  return reachable.at(-1)?.address ?? ''
}

interface Route {
  readonly interfaceName: string
  readonly metric: number
}

/** /proc/net/route: interface, destination, gateway, flags, …, metric in the seventh column, mask in the eighth. */
function routesV4(probe: SystemProbe): readonly Route[] {
  return linesOf(probe, '/proc/net/route')
    .slice(1)
    .flatMap((line) => {
      const [interfaceName, destination, , , , , metric, mask] = line.split(/\s+/)
      const isDefault = destination === '00000000' && mask === '00000000'
      return isDefault && interfaceName !== undefined ? [{ interfaceName, metric: Number(metric) }] : []
    })
}

/** /proc/net/ipv6_route: destination, its prefix length, …, metric (hex) sixth, interface last. */
function routesV6(probe: SystemProbe): readonly Route[] {
  return linesOf(probe, '/proc/net/ipv6_route').flatMap((line) => {
    const columns = line.trim().split(/\s+/)
    const [destination, prefix, , , , metric] = columns
    const interfaceName = columns.at(-1)
    const isDefault = /^0+$/.test(destination ?? '') && prefix === '00' && interfaceName !== 'lo'
    return isDefault && interfaceName !== undefined
      ? [{ interfaceName, metric: Number.parseInt(metric ?? '0', 16) }]
      : []
  })
}
