import type { SystemProbe } from '../../host/probe.ts'
import type { GoValue } from '../../templates/govalue/index.ts'
import { listShape, mapShape } from '../template/index.ts'
import {
  type FactFamily,
  type FactMap,
  factOf,
  toFactMap,
  group,
  integerOf,
  linesOf,
  percent,
  valuesShape,
  watchReading,
} from './family.ts'

/** Keys of the facts and fields of /proc/meminfo, whose values are in KiB except for counts. */
const VIRTUAL_FIELDS: Readonly<Record<string, string>> = {
  active: 'Active',
  inactive: 'Inactive',
  buffers: 'Buffers',
  writeBack: 'Writeback',
  dirty: 'Dirty',
  writeBackTmp: 'WritebackTmp',
  shared: 'Shmem',
  slab: 'Slab',
  sreclaimable: 'SReclaimable',
  sunreclaim: 'SUnreclaim',
  pageTables: 'PageTables',
  swapCached: 'SwapCached',
  commitLimit: 'CommitLimit',
  committedAS: 'Committed_AS',
  highTotal: 'HighTotal',
  highFree: 'HighFree',
  lowTotal: 'LowTotal',
  lowFree: 'LowFree',
  swapTotal: 'SwapTotal',
  swapFree: 'SwapFree',
  mapped: 'Mapped',
  vmallocTotal: 'VmallocTotal',
  vmallocUsed: 'VmallocUsed',
  vmallocChunk: 'VmallocChunk',
  hugePagesTotal: 'HugePages_Total',
  hugePagesFree: 'HugePages_Free',
  hugePagesRsvd: 'HugePages_Rsvd',
  hugePagesSurp: 'HugePages_Surp',
  hugePageSize: 'Hugepagesize',
  anonHugePages: 'AnonHugePages',
}

const VIRTUAL_TOTALS = ['total', 'available', 'used', 'usedPercent', 'free', 'cached', 'wired', 'laundry']
const SWAP = ['total', 'used', 'free', 'usedPercent', 'sin', 'sout', 'pgIn', 'pgOut', 'pgFault', 'pgMajFault']

export const memory: FactFamily = {
  name: 'memory',
  summary: 'Main memory and swap space, in bytes.',
  shape: mapShape({
    virtual: valuesShape([...VIRTUAL_TOTALS, ...Object.keys(VIRTUAL_FIELDS)]),
    swap: mapShape({ info: valuesShape(SWAP), devices: listShape(valuesShape(['name', 'usedBytes', 'freeBytes'])) }),
  }),
  gather({ probe }) {
    const [fields, trouble] = watchReading(probe, readMeminfo)
    return group({
      virtual: trouble ?? virtual(fields),
      swap: group({
        info: trouble ?? factOf(probe, (watched) => swap(fields, watched)),
        devices: factOf(probe, swapDevices),
      }),
    })
  },
}

type Fields = ReadonlyMap<string, bigint>

function readMeminfo(probe: SystemProbe): Fields {
  const fields = new Map<string, bigint>()
  for (const line of linesOf(probe, '/proc/meminfo')) {
    const [, name, amount, unit] = /^([^:]+):\s+(\d+)( kB)?/.exec(line) ?? []
    if (name !== undefined && amount !== undefined) fields.set(name, BigInt(amount) * (unit === undefined ? 1n : 1024n))
  }
  return fields
}

function virtual(fields: Fields): FactMap | null {
  const field = (name: string): bigint => fields.get(name) ?? 0n
  const total = field('MemTotal')
  if (total === 0n) return null
  const cached = field('Cached') + field('SReclaimable')
  const available = fields.get('MemAvailable') ?? field('MemFree') + cached + field('Buffers')
  const used = total - available
  const rest = Object.entries(VIRTUAL_FIELDS).map(([key, name]): [string, GoValue] => [key, field(name)])
  return new Map<string, GoValue>([
    ['total', total],
    ['available', available],
    ['used', used],
    ['usedPercent', percent(used, total)],
    ['free', field('MemFree')],
    ['cached', cached],
    ['wired', 0n],
    ['laundry', 0n],
    ...rest,
  ])
}

/** Counters of /proc/vmstat, in pages of 4 KiB where they count pages. */
function swap(fields: Fields, probe: SystemProbe): FactMap | null {
  const total = fields.get('SwapTotal')
  const free = fields.get('SwapFree')
  if (total === undefined || free === undefined) return null
  const counters = new Map(
    linesOf(probe, '/proc/vmstat').map((line): [string, bigint | null] => {
      const [name = '', amount] = line.split(' ')
      return [name, integerOf(amount)]
    }),
  )
  const bytes = (name: string): bigint => (counters.get(name) ?? 0n) * 4096n
  return toFactMap({
    total,
    used: total - free,
    free,
    usedPercent: percent(total - free, total),
    sin: bytes('pswpin'),
    sout: bytes('pswpout'),
    pgIn: bytes('pgpgin'),
    pgOut: bytes('pgpgout'),
    pgFault: bytes('pgfault'),
    pgMajFault: bytes('pgmajfault'),
  })
}

function swapDevices(probe: SystemProbe): readonly FactMap[] {
  return linesOf(probe, '/proc/swaps')
    .slice(1)
    .flatMap((line) => {
      const [name, , size, used] = line.split(/\s+/)
      const sizeBytes = integerOf(size)
      const usedBytes = integerOf(used)
      if (name === undefined || sizeBytes === null || usedBytes === null) return []
      return [toFactMap({ name, usedBytes: usedBytes * 1024n, freeBytes: (sizeBytes - usedBytes) * 1024n })]
    })
}
