import { type Unknown, unknown } from '../../model/observation.ts'
import { parseOsRelease } from '../../host/os-release.ts'
import type { SystemProbe } from '../../host/probe.ts'
import { mapShape } from '../template/index.ts'
import {
  type FactFamily,
  factOf,
  group,
  integerOf,
  isThere,
  linesOf,
  textOf,
  valuesShape,
  watchReading,
  wordsOf,
} from './family.ts'

const INFO = [
  'hostname',
  'uptime',
  'bootTime',
  'procs',
  'os',
  'platform',
  'platformFamily',
  'platformVersion',
  'kernelVersion',
  'kernelArch',
  'virtualizationSystem',
  'virtualizationRole',
  'hostId',
]

export const host: FactFamily = {
  name: 'host',
  summary: 'The host: its name, operating system, kernel and virtualization.',
  shape: mapShape({ info: valuesShape(INFO) }),
  gather({ probe, system }) {
    const [release, trouble] = watchReading(probe, osRelease)
    const platform = system.os.id
    const version = release.get('VERSION_ID') ?? system.os.version
    const [[role, virtualization], hidden] = virtualizationOf(probe)
    return group({
      info: group({
        hostname: system.hostname,
        uptime: factOf(probe, (watched) => integerOf(textOf(watched, '/proc/uptime')?.split('.')[0]) ?? 0n),
        bootTime: factOf(probe, bootTime),
        procs: factOf(probe, processes),
        os: system.platform,
        platform: trouble ?? platform,
        platformFamily: trouble ?? platformFamily(platform, release.get('ID_LIKE')),
        platformVersion: trouble ?? factOf(probe, (watched) => platformVersion(watched, platform, version)),
        kernelVersion: factOf(probe, (watched) => textOf(watched, '/proc/sys/kernel/osrelease') ?? ''),
        kernelArch:
          probe.machine === '' ? unknown('not-observable', 'no program reports the processor') : probe.machine,
        virtualizationSystem: hidden ?? virtualization,
        virtualizationRole: hidden ?? role,
        hostId: factOf(probe, (watched) => hostId(probe, watched)),
      }),
    })
  },
}

/** The os-release(5) file from the first of its two paths. */
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

/** The family of a distribution, by its name or by ID_LIKE. */
function platformFamily(platform: string, like: string | undefined): string {
  const names = [platform, ...(like?.split(' ') ?? [])]
  for (const name of names) {
    const family = Object.entries(FAMILIES).find(([, members]) => members.includes(name))
    if (family !== undefined) return family[0]
  }
  return ''
}

/** Only /etc/debian_version has Debian's point release; os-release has the major version. */
function platformVersion(probe: SystemProbe, platform: string, version: string): string {
  return platform === 'debian' ? (wordsOf(probe, '/etc/debian_version') ?? version) : version
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

type Virtualization = readonly [role: string, system: string]

/** The virtualization of this machine, and the failed reading that makes it unknown. */
function virtualizationOf(probe: SystemProbe): readonly [Virtualization, Unknown | undefined] {
  return watchReading(probe, (watched) => containerRole(watched, probe) ?? hypervisorRole(watched))
}

/** Detects container engines. The environment of the first process is readable by root only. */
function containerRole(watched: SystemProbe, probe: SystemProbe): Virtualization | undefined {
  if (isThere(watched, '/.dockerenv')) return ['guest', 'docker']
  if (isThere(watched, '/run/.containerenv')) return ['guest', 'podman']
  // If systemd is the first process, every user can read this file. @see the container interface of systemd
  const told = wordsOf(watched, '/run/systemd/container')
  if (told !== null) return ['guest', told]
  const first = isThere(watched, '/run/systemd/system') || isFirstNamespace(probe) ? probe : watched
  const container = containerOf(textOf(first, '/proc/1/environ')) ?? containerOf(textOf(watched, '/proc/self/cgroup'))
  return container === undefined ? undefined : ['guest', container]
}

/**
 * Whether this is the initial PID namespace: only there kernel threads are visible, and the second process is kthreadd.
 * @see kthreadd in the kernel's rest_init
 */
function isFirstNamespace(probe: SystemProbe): boolean {
  return /^2 \(kthreadd\) \w 0 /.test(textOf(probe, '/proc/2/stat') ?? '')
}

function hypervisorRole(probe: SystemProbe): Virtualization {
  if (isThere(probe, '/proc/xen'))
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

/**
 * The UUID of the board if readable, otherwise the machine id in the same format, otherwise the boot id. The UUID is
 * readable by root only, so its failure does not make the fact unknown.
 */
function hostId(probe: SystemProbe, watched: SystemProbe): string {
  const product = wordsOf(probe, '/sys/class/dmi/id/product_uuid')
  if (product !== null) return product.toLowerCase()
  const machineId = textOf(watched, '/etc/machine-id')
  if (machineId !== null && machineId.length === 32)
    return machineId.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5')
  return textOf(watched, '/proc/sys/kernel/random/boot_id') ?? ''
}
