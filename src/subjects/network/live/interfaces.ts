import { basename } from 'node:path'
import { known, type Reading, unknown, readEach } from '../../../model/observation.ts'
import type { NetworkInterface, NetworkInterfaces } from '../interfaces.ts'
import { formatIp } from '../../../model/ip-address.ts'
import type { SystemProbe } from '../../../host/probe.ts'
import { readFollowedStat } from '../../../host/live/file-stat.ts'
import { readRealPath } from '../../../host/live/tree-reader.ts'
import { runCommand } from '../../../host/live/run-command.ts'
import { SYSTEM_PATH } from '../../../host/live/system-programs.ts'

const TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/** Access to the machine; tests use other directories. */
export interface InterfacesReader {
  readonly probe: SystemProbe
  readonly proc?: string
  readonly sys?: string
  /** IPv4 addresses by interface, as a program lists them. */
  readonly askForIpv4?: () => Promise<Reading<ReadonlyMap<string, readonly string[]>>>
}

type Places = Required<InterfacesReader>

/** Network interfaces of the machine, from /proc and /sys. */
export function openInterfaces(reader: InterfacesReader): NetworkInterfaces & { readonly forget: () => void } {
  const places = { proc: '/proc', sys: '/sys', askForIpv4, ...reader }
  let kept: Promise<Reading<readonly NetworkInterface[]>> | undefined
  return {
    list: () => (kept ??= readInterfaces(places)),
    forget() {
      kept = undefined
    },
  }
}

/** @see linux/if.h, if_arp.h */
const UP = 1
const LOOPBACK_TYPE = 772

interface Shown extends Omit<NetworkInterface, 'addresses'> {
  /** Whether Node lists its IPv4 addresses: it omits interfaces that are down or have no carrier. */
  readonly isRunning: boolean
}

async function readInterfaces(places: Places): Promise<Reading<readonly NetworkInterface[]>> {
  const shown = readShown(places)
  if (shown.kind === 'unknown') return shown
  const ipv6 = readIpv6(places)
  const listed = places.probe.addresses().filter(({ version }) => version === 4)
  const asked = shown.value.every(({ isRunning }) => isRunning) ? known(new Map()) : await places.askForIpv4()
  return known(
    shown.value.map(({ name, isUp, mtu, kind, isRunning, driver }): NetworkInterface => {
      // A second address may have its own label, such as `eth0:1`.
      const own = listed.filter(({ interfaceName }) => interfaceName.split(':')[0] === name).map(({ cidr }) => cidr)
      const ipv4: Reading<readonly string[]> = isRunning ? known(own) : ofInterface(asked, name)
      const addresses = concatReadings(ipv4, ofInterface(ipv6, name))
      return { name, isUp, mtu, kind, addresses, ...(driver === undefined ? {} : { driver }) }
    }),
  )
}

function ofInterface(all: Reading<ReadonlyMap<string, readonly string[]>>, name: string): Reading<readonly string[]> {
  return all.kind === 'unknown' ? all : known(all.value.get(name) ?? [])
}

function concatReadings(
  left: Reading<readonly string[]>,
  right: Reading<readonly string[]>,
): Reading<readonly string[]> {
  if (left.kind === 'unknown') return left
  return right.kind === 'unknown' ? right : known([...left.value, ...right.value])
}

/**
 * Names come from /proc, which shows the network namespace of this process. /sys shows the namespace it was mounted in, so it is
 * ignored if its names differ.
 */
function readShown({ probe, proc, sys }: Places): Reading<readonly Shown[]> {
  const table = probe.readText(`${proc}/net/dev`)
  if (table.kind === 'unknown') return table
  if (table.value === null) return unknown('not-observable', `${proc}/net/dev does not exist`)
  const names = [...table.value.matchAll(/^\s*([^\s:]+):/gm)].map(([, name = '']) => name).toSorted()
  const listed = probe.list(`${sys}/class/net`)
  if (listed.kind === 'unknown') return listed
  const entries = (listed.value ?? []).filter(
    (name) => readFollowedStat(`${sys}/class/net/${name}/flags`).kind !== 'absent',
  )
  if (entries.join(' ') !== names.join(' ')) {
    return unknown(
      'not-observable',
      `${sys}/class/net and ${proc}/net/dev list different interfaces: they belong to different network namespaces`,
    )
  }
  return readEach(names, (name) => readOne(probe, `${sys}/class/net/${name}`, name))
}

function readOne(probe: SystemProbe, directory: string, name: string): Reading<Shown> {
  const texts: Record<string, string> = {}
  for (const file of ['flags', 'mtu', 'type', 'operstate']) {
    const text = probe.readText(`${directory}/${file}`)
    if (text.kind === 'unknown') return text
    if (text.value === null) return unknown('not-observable', `${directory}/${file} does not exist`)
    texts[file] = text.value.trim()
  }
  const [flags, mtu, type] = ['flags', 'mtu', 'type'].map((file) => Number(texts[file]))
  if (flags === undefined || mtu === undefined || !Number.isInteger(flags) || !Number.isInteger(mtu)) {
    return unknown('invalid', `${directory}: flags or mtu is not a number`)
  }
  const kind = type === LOOPBACK_TYPE ? known('loopback' as const) : kindOf(directory)
  if (kind.kind === 'unknown') return kind
  const driver = readRealPath(`${directory}/device/driver/module`)
  return known({
    name,
    isUp: (flags & UP) !== 0,
    mtu,
    kind: kind.value,
    isRunning: (flags & UP) !== 0 && ['up', 'unknown'].includes(texts['operstate'] ?? ''),
    ...(driver.kind === 'unknown' || driver.value === null ? {} : { driver: basename(driver.value) }),
  })
}

function kindOf(directory: string): Reading<NetworkInterface['kind']> {
  for (const [file, kind] of [
    ['wireless', 'wireless'],
    ['phy80211', 'wireless'],
    ['bridge', 'bridge'],
  ] as const) {
    const seen = readFollowedStat(`${directory}/${file}`)
    if (seen.kind === 'unknown') return seen
    if (seen.kind === 'present') return known(kind)
  }
  return known('other')
}

/** `address index prefix scope flags name` in hexadecimal; a kernel without IPv6 has no such file. */
function readIpv6({ probe, proc }: Places): Reading<ReadonlyMap<string, readonly string[]>> {
  const path = `${proc}/net/if_inet6`
  const text = probe.readText(path)
  if (text.kind === 'unknown') return text
  const addresses = new Map<string, string[]>()
  for (const line of (text.value ?? '').split('\n')) {
    if (line === '') continue
    const [, address, prefix, name] =
      /^([0-9a-f]{32}) [0-9a-f]+ ([0-9a-f]+) [0-9a-f]+ [0-9a-f]+ +(\S+)$/.exec(line) ?? []
    if (address === undefined || prefix === undefined || name === undefined) {
      return unknown('invalid', `${path}: a line has an unexpected format`)
    }
    const cidr = `${formatIp(Buffer.from(address, 'hex'))}/${Number.parseInt(prefix, 16)}`
    addresses.set(name, [...(addresses.get(name) ?? []), cidr])
  }
  return known(addresses)
}

/** All IPv4 addresses by interface. No file lists those of an interface that is down, only netlink, which Node cannot use. */
async function askForIpv4(): Promise<Reading<ReadonlyMap<string, readonly string[]>>> {
  const outcome = await runCommand({
    argv: ['ip', '-4', '-o', 'addr', 'show'],
    workingDirectory: '/',
    environment: { PATH: SYSTEM_PATH, LC_ALL: 'C' },
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_ANSWER_BYTES,
    signal: new AbortController().signal,
  })
  if (outcome.kind === 'exited' && outcome.exitCode === 0) return known(parseIpv4Addresses(outcome.stdout))
  const why = outcome.kind === 'not-started' ? outcome.message : 'the command failed'
  return unknown('not-observable', `cannot read the addresses of an interface that is down with "ip addr": ${why}`)
}

/** Parses `2: eth0    inet 10.0.0.5/24 brd … scope global eth0`, also `inet 10.0.0.1 peer 10.0.0.2/32`. */
export function parseIpv4Addresses(output: string): ReadonlyMap<string, readonly string[]> {
  const addresses = new Map<string, string[]>()
  for (const [, name = '', address = '', peer, prefix = ''] of output.matchAll(
    /^\d+: (\S+) +inet ([\d.]+)(?: peer ([\d.]+))?\/(\d+)/gm,
  )) {
    const cidr = `${address}/${peer === undefined ? prefix : '32'}`
    addresses.set(name, [...(addresses.get(name) ?? []), cidr])
  }
  return addresses
}
