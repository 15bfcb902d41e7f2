import type { SystemProbe } from '../target/probe.ts'
import { parseOsRelease } from '../target/os-release.ts'
import { type FactFamily, facts, integerOf, linesOf, textOf } from './family.ts'

export const host: FactFamily = {
  name: 'host',
  summary: 'The host: its name, operating system, kernel and virtualization.',
  gather({ probe, system }) {
    const release = osRelease(probe)
    const platform = system.os.id
    const [role, virtualization] = virtualizationOf(probe)
    const uptime = integerOf(textOf(probe, '/proc/uptime')?.split('.')[0]) ?? 0n
    return facts({
      info: facts({
        hostname: system.hostname,
        uptime,
        bootTime: bootTime(probe),
        procs: processes(probe),
        os: system.platform,
        platform,
        platformFamily: platformFamily(platform, release.get('ID_LIKE')),
        platformVersion: platformVersion(probe, platform, release.get('VERSION_ID') ?? system.os.version),
        kernelVersion: textOf(probe, '/proc/sys/kernel/osrelease') ?? '',
        kernelArch: probe.machine,
        virtualizationSystem: virtualization,
        virtualizationRole: role,
        hostId: hostId(probe),
      }),
    })
  },
}

/** What os-release(5) says, from the first of its two places. */
function osRelease(probe: SystemProbe): ReadonlyMap<string, string> {
  return parseOsRelease(textOf(probe, '/etc/os-release') ?? textOf(probe, '/usr/lib/os-release') ?? '')
}

const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  debian: ['debian', 'ubuntu', 'linuxmint', 'raspbian', 'kali', 'pop', 'devuan'],
  rhel: ['rhel', 'centos', 'rocky', 'almalinux', 'ol', 'oracle', 'amzn', 'scientific', 'cloudlinux', 'redhat'],
  fedora: ['fedora'],
  suse: ['suse', 'opensuse', 'opensuse-leap', 'opensuse-tumbleweed', 'sles', 'sled'],
  arch: ['arch', 'manjaro'],
  alpine: ['alpine'],
  gentoo: ['gentoo'],
  slackware: ['slackware'],
}

/** The family a distribution belongs to, by its own name or by what it says it is like. */
function platformFamily(platform: string, like: string | undefined): string {
  const names = [platform, ...(like?.split(' ') ?? [])]
  for (const name of names) {
    const family = Object.entries(FAMILIES).find(([, members]) => members.includes(name))
    if (family !== undefined) return family[0]
  }
  return ''
}

/** Debian tells its point release only in /etc/debian_version; os-release stops at the major version. */
function platformVersion(probe: SystemProbe, platform: string, version: string): string {
  return platform === 'debian' ? (textOf(probe, '/etc/debian_version') ?? version) : version
}

function bootTime(probe: SystemProbe): bigint {
  const line = linesOf(probe, '/proc/stat').find((text) => text.startsWith('btime '))
  return integerOf(line?.slice('btime '.length)) ?? 0n
}

function processes(probe: SystemProbe): bigint {
  const names = probe.list('/proc')
  if (names.kind === 'unknown' || names.value === null) return 0n
  return BigInt(names.value.filter((name) => /^\d+$/.test(name)).length)
}

/** Who hosts this machine, from the traces hypervisors and container engines leave, the container's first. */
function virtualizationOf(probe: SystemProbe): readonly [role: string, system: string] {
  const exists = (path: string): boolean => {
    const names = probe.list(path)
    const text = names.kind === 'known' && names.value !== null ? '' : textOf(probe, path)
    return text !== null
  }
  if (exists('/.dockerenv')) return ['guest', 'docker']
  if (exists('/run/.containerenv')) return ['guest', 'podman']
  const container = containerOf(textOf(probe, '/proc/1/environ')) ?? containerOf(textOf(probe, '/proc/self/cgroup'))
  if (container !== undefined) return ['guest', container]
  if (exists('/proc/xen'))
    return [textOf(probe, '/proc/xen/capabilities')?.includes('control_d') ? 'host' : 'guest', 'xen']
  const product = `${textOf(probe, '/sys/class/dmi/id/sys_vendor') ?? ''} ${textOf(probe, '/sys/class/dmi/id/product_name') ?? ''}`
  const hypervisor = HYPERVISORS.find(([pattern]) => pattern.test(product))
  if (hypervisor !== undefined) return ['guest', hypervisor[1]]
  if (linesOf(probe, '/proc/cpuinfo').some((line) => /^flags\s*:.*\bhypervisor\b/.test(line))) return ['guest', 'kvm']
  if (linesOf(probe, '/proc/modules').some((line) => line.startsWith('kvm '))) return ['host', 'kvm']
  return ['', '']
}

const HYPERVISORS: readonly (readonly [RegExp, string])[] = [
  [/VirtualBox/, 'vbox'],
  [/VMware/, 'vmware'],
  [/QEMU|KVM|Google Compute|Amazon EC2|OpenStack/, 'kvm'],
  [/Microsoft Corporation.*Virtual Machine/, 'hyperv'],
  [/Xen/, 'xen'],
]

function containerOf(text: string | null): string | undefined {
  return /(?:^|\0)container=([a-z-]+)/.exec(text ?? '')?.[1] ?? /\b(docker|lxc|kubepods|libpod)\b/.exec(text ?? '')?.[1]
}

/** The board's serial where it may be read, else the machine id in the same form, else the id of this boot. */
function hostId(probe: SystemProbe): string {
  const product = textOf(probe, '/sys/class/dmi/id/product_uuid')
  if (product !== null) return product.toLowerCase()
  const machineId = textOf(probe, '/etc/machine-id')
  if (machineId !== null && machineId.length === 32)
    return machineId.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5')
  return textOf(probe, '/proc/sys/kernel/random/boot_id') ?? ''
}
