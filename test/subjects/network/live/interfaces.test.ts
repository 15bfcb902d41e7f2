import { filesIn } from '../../../support/bundles.ts'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import { expect, test } from 'vitest'
import { known, unknown } from '../../../../src/model/observation.ts'
import { openInterfaces, parseIpv4Addresses } from '../../../../src/subjects/network/live/interfaces.ts'
import { createLocalProbe } from '../../../../src/host/live/probe.ts'
import { findSystemProgram } from '../../../../src/host/live/system-programs.ts'
import type { NetworkInterface } from '../../../../src/subjects/network/interfaces.ts'
import { bundle } from '../../../support/bundle.ts'
import { needsRoot } from '../../../support/temporary.ts'

const missing = ['ip', 'unshare'].find((name) => findSystemProgram(name) === undefined)
const skipped = needsRoot ?? (missing === undefined ? undefined : `needs ${missing}`)

/** Loopback, a pair of which one end is down and so the other has no carrier, a bridge, labels and peers. */
const SET_UP = `
# No addresses that come by themselves while both look.
echo 1 >/proc/sys/net/ipv6/conf/default/addr_gen_mode
mount -t sysfs none /sys
ip link set lo up
ip link add v0 type veth peer name v1
ip addr add 10.1.0.1/24 dev v0
ip addr add 10.1.0.2/24 dev v0 label v0:1
ip addr add 10.7.0.1 peer 10.7.0.2/32 dev v0
ip link set v0 up mtu 1400
ip addr add 10.2.0.1/16 dev v1
ip link add br0 type bridge
ip addr add 192.168.7.1/24 dev br0
ip addr add fd00:7::1/64 dev br0 nodad
ip link set br0 up
ip link add v2 type veth peer name v3
ip link set v2 up
ip link set v3 up master br0
ip addr add 172.16.0.1/12 dev v2
"$@"
ip -j addr`

interface Listed {
  readonly ifname: string
  readonly mtu: number
  readonly flags: readonly string[]
  readonly link_type: string
  readonly addr_info: readonly { readonly family: string; readonly local: string; readonly prefixlen: number }[]
}

test.skipIf(skipped)(`the same interfaces as ip shows (${skipped ?? 'root'})`, async () => {
  const program = await bundle(`
    import { createLocalTarget } from './src/host/live/local-target.ts'
    import { INTERFACES } from './src/subjects/network/subject.ts'
    console.log(JSON.stringify(await createLocalTarget().open(INTERFACES).list()))
  `)
  const argv = ['--net', '--mount', 'sh', '-ec', SET_UP, 'sh', process.execPath, program.file]
  const [ours = '', theirs = ''] = execFileSync('unshare', argv, { encoding: 'utf8' }).trim().split('\n')
  program.remove()
  const { value } = JSON.parse(ours) as { readonly value: readonly NetworkInterface[] }
  const listed = (JSON.parse(theirs) as readonly Listed[]).toSorted((left, right) =>
    left.ifname < right.ifname ? -1 : 1,
  )
  const expected = listed.map(({ ifname, mtu, flags, link_type: type, addr_info: addresses }) => ({
    name: ifname,
    isUp: flags.includes('UP'),
    mtu,
    kind: type === 'loopback' ? type : ifname === 'br0' ? 'bridge' : 'other',
    addresses: { kind: 'known', value: addresses.map(({ local, prefixlen }) => `${local}/${prefixlen}`) },
  }))
  expect(value.map(({ name }) => name)).toEqual(expect.arrayContaining(['br0', 'lo', 'v0', 'v1', 'v2', 'v3']))
  expect(value).toEqual(expected)
})

test.skipIf(skipped)(`/sys of another network namespace says nothing (${skipped ?? 'root'})`, async () => {
  const program = await bundle(`
    import { createLocalTarget } from './src/host/live/local-target.ts'
    import { INTERFACES } from './src/subjects/network/subject.ts'
    console.log(JSON.stringify(await createLocalTarget().open(INTERFACES).list()))
  `)
  const setUp = 'ip link add only-here type bridge; exec "$@"'
  const argv = ['--net', 'sh', '-ec', setUp, 'sh', process.execPath, program.file]
  const printed = execFileSync('unshare', argv, { encoding: 'utf8' })
  program.remove()
  expect(JSON.parse(printed)).toMatchObject({ kind: 'unknown', reason: 'not-observable' })
})

test('the output of ip is parsed', () => {
  const printed = [
    '1: lo    inet 127.0.0.1/8 scope host lo\\       valid_lft forever preferred_lft forever',
    '2: v0    inet 10.1.0.1/24 scope global v0\\       valid_lft forever preferred_lft forever',
    '2: v0    inet 10.7.0.1 peer 10.7.0.2/32 scope global v0\\       valid_lft forever preferred_lft forever',
  ]
  expect([...parseIpv4Addresses(printed.join('\n'))]).toEqual([
    ['lo', ['127.0.0.1/8']],
    ['v0', ['10.1.0.1/24', '10.7.0.1/32']],
  ])
})

const WIRELESS = {
  'proc/net/dev': 'Inter-|   Receive\n face |bytes\n wlan0: 1 2 3\n',
  'sys/class/net/wlan0/flags': '0x1002\n',
  'sys/class/net/wlan0/mtu': '1500\n',
  'sys/class/net/wlan0/type': '1\n',
  'sys/class/net/wlan0/operstate': 'down\n',
  'sys/class/net/wlan0/phy80211/index': '0\n',
}

function interfacesOf(files: Readonly<Record<string, string>>) {
  const root = filesIn(files)
  const askForIpv4 = async () => unknown('not-observable', 'there is no ip')
  return openInterfaces({ probe: createLocalProbe(), proc: join(root, 'proc'), sys: join(root, 'sys'), askForIpv4 })
}

test('a wireless interface that is down, with unknown addresses', async () => {
  const addresses = unknown('not-observable', 'there is no ip')
  const wlan0 = { name: 'wlan0', isUp: false, mtu: 1500, kind: 'wireless', addresses }
  expect(await interfacesOf(WIRELESS).list()).toEqual(known([wlan0]))
})

test.each([
  ['no /proc/net/dev', { 'proc/net/dev': undefined }, 'not-observable'],
  ['no flags', { 'sys/class/net/wlan0/flags': undefined }, 'not-observable'],
  ['garbled flags', { 'sys/class/net/wlan0/flags': 'x' }, 'invalid'],
  ['another interface in /sys', { 'sys/class/net/eth0/flags': '0x1' }, 'not-observable'],
])('without a proof it is unknown: %s', async (_name, change, reason) => {
  const files = Object.entries({ ...WIRELESS, ...change }).filter(
    (each): each is [string, string] => each[1] !== undefined,
  )
  expect(await interfacesOf(Object.fromEntries(files)).list()).toMatchObject({ kind: 'unknown', reason })
})

test('garbled addresses are unknown, and the interface is not', async () => {
  const listed = await interfacesOf({ ...WIRELESS, 'proc/net/if_inet6': 'x\n' }).list()
  expect(listed).toMatchObject({ kind: 'known', value: [{ name: 'wlan0', addresses: { kind: 'unknown' } }] })
})
