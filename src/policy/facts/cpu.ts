import type { GoValue } from '../../templates/govalue/index.ts'
import type { SystemProbe } from '../../host/probe.ts'
import { listShape, mapShape } from '../template/index.ts'
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
} from './family.ts'

const PROCESSOR = [
  'cpu',
  'vendorId',
  'family',
  'model',
  'stepping',
  'physicalId',
  'coreId',
  'cores',
  'modelName',
  'mhz',
  'cacheSize',
  'flags',
  'microcode',
]

export const cpu: FactFamily = {
  name: 'cpu',
  summary: 'Processors, one entry for each logical one.',
  shape: mapShape({ info: listShape(valuesShape(PROCESSOR)) }),
  gather: ({ probe }) => group({ info: factOf(probe, processors) }),
}

function processors(probe: SystemProbe): readonly FactMap[] {
  const entries: Map<string, string>[] = []
  for (const line of linesOf(probe, '/proc/cpuinfo')) {
    const separator = line.indexOf(':')
    if (separator < 0) continue
    const key = line.slice(0, separator).trim()
    if (key === 'processor') entries.push(new Map())
    entries.at(-1)?.set(key, line.slice(separator + 1).trim())
  }
  return entries.map((entry) => processor(entry, probe))
}

/** Keys of /proc/cpuinfo differ between architectures; those of x86 come first, then those of ARM. */
function processor(entry: ReadonlyMap<string, string>, probe: SystemProbe): FactMap {
  const text = (...keys: readonly string[]): string =>
    keys.map((key) => entry.get(key)).find((value) => value !== undefined) ?? ''
  const integer = (key: string): bigint => integerOf(entry.get(key)) ?? 0n
  const index = integer('processor')
  const values: Record<string, GoValue> = {
    cpu: index,
    vendorId: text('vendor_id', 'CPU implementer'),
    family: text('cpu family'),
    model: text('model', 'CPU part'),
    stepping: integer('stepping'),
    physicalId: text('physical id'),
    coreId: text('core id'),
    cores: 1n,
    modelName: text('model name', 'Processor'),
    mhz: maximumMhz(probe, index) ?? Number(text('cpu MHz') || 0),
    cacheSize: integerOf(text('cache size').replace(/ KB$/, '')) ?? 0n,
    flags: text('flags', 'Features').split(' ').filter(Boolean),
    microcode: text('microcode'),
  }
  return toFactMap(values)
}

function maximumMhz(probe: SystemProbe, index: bigint): number | undefined {
  const kilohertz = integerOf(textOf(probe, `/sys/devices/system/cpu/cpu${index}/cpufreq/cpuinfo_max_freq`))
  return kilohertz === null ? undefined : Number(kilohertz) / 1000
}
