import type { Unknown } from '../../model/observation.ts'
import { unescapeOctal } from '../../host/octal-escapes.ts'
import type { SystemProbe } from '../../host/probe.ts'
import { listShape, mapShape } from '../template/index.ts'
import {
  type FactFamily,
  type FactMap,
  toFactMap,
  group,
  isThere,
  linesOf,
  percent,
  valuesShape,
  watchReading,
} from './family.ts'

const PARTITION = ['device', 'mountpoint', 'fstype', 'opts']
const USAGE = [
  'path',
  'fstype',
  'total',
  'free',
  'used',
  'usedPercent',
  'inodesTotal',
  'inodesUsed',
  'inodesFree',
  'inodesUsedPercent',
]

export const partition: FactFamily = {
  name: 'partition',
  summary: 'Mounted file systems that lie on a device, and how full they are.',
  shape: mapShape({ partitions: listShape(valuesShape(PARTITION)), usage: listShape(valuesShape(USAGE)) }),
  gather({ probe }) {
    const [mounts, trouble] = watchReading(probe, physicalMounts)
    const usages = mounts.map((mount) => usage(probe, mount))
    return group({
      partitions:
        trouble ??
        mounts.map(({ device, mountpoint, fstype, opts }) => toFactMap({ device, mountpoint, fstype, opts })),
      usage: trouble ?? usages.find(isUnknown) ?? usages.flatMap((each) => (isUnknown(each) ? [] : each)),
    })
  },
}

interface Mount {
  readonly device: string
  readonly mountpoint: string
  readonly fstype: string
  readonly opts: readonly string[]
}

/** Mounts of file system types that the kernel does not mark `nodev`; ZFS is marked, but uses devices. */
function physicalMounts(probe: SystemProbe): readonly Mount[] {
  const physical = new Set(
    linesOf(probe, '/proc/filesystems')
      .filter((line) => !line.startsWith('nodev') || line.endsWith('\tzfs'))
      .map((line) => line.replace(/^nodev/, '').trim()),
  )
  return linesOf(probe, '/proc/self/mountinfo').flatMap((line) => {
    const mount = parseMount(line)
    return mount !== undefined && physical.has(mount.fstype) ? [mount] : []
  })
}

/** Parses a line of mountinfo, see proc(5): mount point and options are before the separator, type and device after it. */
function parseMount(line: string): Mount | undefined {
  const [before = '', after = ''] = line.split(' - ')
  const [, , , , mountpoint, options] = before.split(' ')
  const [fstype, device] = after.split(' ')
  if (mountpoint === undefined || options === undefined || fstype === undefined || device === undefined)
    return undefined
  return { device: unescapeOctal(device), mountpoint: unescapeOctal(mountpoint), fstype, opts: options.split(',') }
}

function isUnknown(usage: readonly FactMap[] | Unknown): usage is Unknown {
  return 'kind' in usage
}

/** Empty for a mount that is hidden by another one. */
function usage(probe: SystemProbe, { mountpoint, fstype }: Mount): readonly FactMap[] | Unknown {
  const reading = probe.filesystemUsage(mountpoint)
  if (reading.kind === 'unknown') return isThere(probe, mountpoint) ? reading : []
  const { totalBytes, freeBytes, availableBytes, inodes, freeInodes } = reading.value
  const used = totalBytes - freeBytes
  return [
    toFactMap({
      path: mountpoint,
      fstype,
      total: totalBytes,
      free: availableBytes,
      used,
      usedPercent: percent(used, used + availableBytes),
      inodesTotal: inodes,
      inodesUsed: inodes - freeInodes,
      inodesFree: freeInodes,
      inodesUsedPercent: percent(inodes - freeInodes, inodes),
    }),
  ]
}
