import { execFileSync } from 'node:child_process'
import { hostname, totalmem } from 'node:os'
import { expect, test } from 'vitest'
import { gatherSystemFacts, type DesiredFamilies } from '../../../src/policy/facts/gather.ts'
import { createLocalTarget } from '../../../src/host/live/local-target.ts'
import { toPlain } from '../../../src/templates/govalue/index.ts'
import { unknown } from '../../../src/model/observation.ts'
import { type MachineFiles, machineOf } from '../../support/machine.ts'

function gather(family: string, machine: MachineFiles): unknown {
  return toPlain(gatherSystemFacts(machineOf(machine), new Set([family])).facts.get(family) ?? null)
}

test('only wanted families are gathered', () => {
  const families = (wanted: DesiredFamilies): unknown => [...gatherSystemFacts(machineOf({}), wanted).facts.keys()]
  expect(families(new Set(['cpu']))).toEqual(['cpu'])
  expect(families(new Set())).toEqual([])
  expect(families('all')).toEqual(['host', 'network', 'partition', 'cpu', 'memory'])
})

// The release files are those the distributions ship.
test.each([
  [
    'debian',
    { files: { '/etc/os-release': 'ID=debian\nVERSION_ID="12"\n', '/etc/debian_version': '12.11\n' } },
    'debian',
    '12.11',
  ],
  ['ubuntu', { files: { '/etc/os-release': 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\n' } }, 'debian', '24.04'],
  [
    'rocky',
    { files: { '/etc/os-release': 'ID="rocky"\nID_LIKE="rhel centos fedora"\nVERSION_ID="9.4"\n' } },
    'rhel',
    '9.4',
  ],
  ['fedora', { files: { '/etc/os-release': 'ID=fedora\nVERSION_ID=40\n' } }, 'fedora', '40'],
  [
    'nobara',
    { files: { '/usr/lib/os-release': 'ID=nobara\nID_LIKE="rhel centos fedora"\nVERSION_ID=40\n' } },
    'rhel',
    '40',
  ],
  [
    'opensuse-leap',
    { files: { '/etc/os-release': 'ID="opensuse-leap"\nID_LIKE="suse opensuse"\nVERSION_ID="15.6"\n' } },
    'suse',
    '15.6',
  ],
  ['plan9', {}, '', '4'],
])('%s belongs to its platform family', (platform, machine: MachineFiles, platformFamily, platformVersion) => {
  const { info } = gather('host', { ...machine, os: { id: platform, version: '4' } }) as { info: object }
  expect(info).toMatchObject({
    platform,
    platformFamily,
    platformVersion,
    hostname: 'web01',
    os: 'linux',
    kernelArch: 'x86_64',
  })
})

test.each<[string, Record<string, string>, string, string]>([
  // Docker makes the file empty.
  ['docker', { '/.dockerenv': '' }, 'guest', 'docker'],
  ['podman', { '/run/.containerenv': '' }, 'guest', 'podman'],
  ['a container with systemd', { '/run/systemd/container': 'systemd-nspawn' }, 'guest', 'systemd-nspawn'],
  ['an nspawn container', { '/proc/1/environ': 'PATH=/bin\0container=systemd-nspawn\0' }, 'guest', 'systemd-nspawn'],
  ['VirtualBox', { '/sys/class/dmi/id/product_name': 'VirtualBox' }, 'guest', 'vbox'],
  ['a KVM guest', { '/proc/cpuinfo': 'flags\t\t: fpu vme hypervisor lahf_lm' }, 'guest', 'kvm'],
  ['a KVM host', { '/proc/modules': 'kvm 1146880 1 kvm_intel, Live 0x0' }, 'host', 'kvm'],
  ['bare metal', {}, '', ''],
])('virtualization: %s', (_title, files, role, system) => {
  const { info } = gather('host', { files }) as { info: Record<string, unknown> }
  expect([info['virtualizationRole'], info['virtualizationSystem']]).toEqual([role, system])
})

const [BOARD, MACHINE, BOOT] = ['4C4C4544-0051', '0123456789abcdef'.repeat(2), '2b8a59c4-7a0c']
// As gopsutil looks for it.
test.each<[string, Record<string, string>, string]>([
  ['the serial of the board', { product: BOARD, machine: MACHINE, boot: BOOT }, BOARD.toLowerCase()],
  ['machine-id(5)', { machine: `${MACHINE}\n`, boot: BOOT }, '01234567-89ab-cdef-0123-456789abcdef'],
  ['the id of the boot, where machine-id(5) is empty', { machine: '', boot: `${BOOT}\n` }, BOOT],
])('the id of a host is %s', (_title, { product, machine, boot }, hostId) => {
  const files = {
    ...(product !== undefined && { '/sys/class/dmi/id/product_uuid': product }),
    ...(machine !== undefined && { '/etc/machine-id': machine }),
    ...(boot !== undefined && { '/proc/sys/kernel/random/boot_id': boot }),
  }
  expect(gather('host', { files })).toMatchObject({ info: { hostId } })
})

/** The second process, as proc(5) shows it in the machine's own PID namespace and in a container. */
const [KTHREADD, CONTAINED] = ['2 (kthreadd) S 0 0 0 0 -1', '2 (kthreadd) S 1 2 2 0 -1']
test.each<[string, Record<string, string>, string | undefined]>([
  ['systemd tells of no container', { '/run/systemd/system/x': '' }, ''],
  ['systemd tells of one', { '/run/systemd/system/x': '', '/run/systemd/container': 'lxc' }, 'lxc'],
  ["it sees the kernel's threads", { '/proc/2/stat': KTHREADD }, ''],
  ['and those are others', { '/proc/2/stat': CONTAINED }, undefined],
  ['nothing else tells it', {}, undefined],
])('virtualization, where the environment of the first process is for root alone and %s', (_title, files, system) => {
  const machine = machineOf({ files })
  const denied = unknown('not-observable', 'permission denied')
  const readText = (path: string) => (path === '/proc/1/environ' ? denied : machine.probe.readText(path))
  const { facts, unread } = gatherSystemFacts({ ...machine, probe: { ...machine.probe, readText } }, new Set(['host']))
  expect(toPlain(facts.get('host') ?? null)).toMatchObject({
    info: system === undefined ? {} : { virtualizationSystem: system },
  })
  expect(unread.map(({ path }) => path.join('.'))).toEqual(
    system === undefined ? ['host.info.virtualizationSystem', 'host.info.virtualizationRole'] : [],
  )
})

test('memory comes from meminfo in bytes, and what the kernel does not tell is nil', () => {
  const meminfo =
    'MemTotal:       16 kB\nMemFree:  2 kB\nMemAvailable:   4 kB\nCached: 1 kB\nSReclaimable: 1 kB\nHugePages_Total: 3\nSwapTotal: 8 kB\nSwapFree: 6 kB\n'
  expect(gather('memory', { files: { '/proc/meminfo': meminfo, '/proc/vmstat': 'pswpin 2\n' } })).toMatchObject({
    virtual: { total: 16384, available: 4096, used: 12288, usedPercent: 75, cached: 2048, hugePagesTotal: 3 },
    swap: { info: { total: 8192, used: 2048, usedPercent: 25, sin: 8192 }, devices: [] },
  })
  expect(gather('memory', {})).toEqual({ virtual: null, swap: { info: null, devices: [] } })
})

test('partitions are the mounts on devices, with names unescaped', () => {
  const mounts = [
    '22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda1 rw',
    '23 22 0:21 / /proc rw,nosuid shared:2 - proc proc rw',
    String.raw`24 22 254:1 / /mnt/my\040disk rw - xfs /dev/vdb rw`,
  ].join('\n')
  const files = { '/proc/self/mountinfo': mounts, '/proc/filesystems': 'nodev\tproc\n\text4\n\txfs\n' }
  const disk = { totalBytes: 1000n, freeBytes: 400n, availableBytes: 200n, inodes: 10n, freeInodes: 5n }
  expect(gather('partition', { files, usage: { '/': disk } })).toEqual({
    partitions: [
      { device: '/dev/vda1', mountpoint: '/', fstype: 'ext4', opts: ['rw', 'relatime'] },
      { device: '/dev/vdb', mountpoint: '/mnt/my disk', fstype: 'xfs', opts: ['rw'] },
    ],
    usage: [
      {
        path: '/',
        fstype: 'ext4',
        total: 1000,
        free: 200,
        used: 600,
        usedPercent: 75,
        inodesTotal: 10,
        inodesUsed: 5,
        inodesFree: 5,
        inodesUsedPercent: 50,
      },
    ],
  })
})

test('the default addresses are those behind the default route with the smallest metric', () => {
  const header = 'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n'
  const route = (name: string, metric: number): string =>
    `${name}\t00000000\t0100A8C0\t0003\t0\t0\t${metric}\t00000000\t0\t0\t0\n`
  const at = (
    interfaceName: string,
    address: string,
    version: 4 | 6 = 4,
  ): NonNullable<MachineFiles['addresses']>[number] => ({
    interfaceName,
    address,
    cidr: `${address}/24`,
    version,
    internal: interfaceName === 'lo',
  })
  const machine = {
    files: { '/proc/net/route': header + route('wlan0', 600) + route('eth0', 100) },
    addresses: [
      at('lo', '127.0.0.1'),
      at('eth0', '10.0.0.5'),
      at('eth0', '169.254.1.1'),
      at('wlan0', '10.1.0.5'),
      at('eth0', 'fe80::1', 6),
    ],
  }
  expect(gather('network', machine)).toEqual({
    interfaces: [],
    addresses: [
      { interface: 'eth0', address: '10.0.0.5', ipv4: true, default: true },
      { interface: 'wlan0', address: '10.1.0.5', ipv4: true, default: false },
    ],
    default_ipv4: '10.0.0.5',
    default_ipv6: '',
  })
})

test('facts of this machine agree with its own tools', () => {
  const facts = toPlain(gatherSystemFacts(createLocalTarget(), 'all').facts) as Record<string, Record<string, unknown>>
  const run = (command: string, ...args: string[]): string => execFileSync(command, args, { encoding: 'utf8' }).trim()
  expect(facts['host']?.['info']).toMatchObject({
    hostname: hostname(),
    kernelVersion: run('uname', '-r'),
    kernelArch: run('uname', '-m'),
  })
  const cpus = facts['cpu']?.['info']
  expect(Array.isArray(cpus) && cpus.length).toBe(Number(run('nproc', '--all')))
  const memory = facts['memory']?.['virtual'] as Record<string, number>
  expect(memory['total']).toBe(totalmem())
})
