import { countOf } from '../../../model/count-of.ts'
import { parseDuration } from '../../../model/duration.ts'
import { EXIT } from '../../../model/gate.ts'
import { toSafeJson } from '../../../model/safe-json.ts'
import { parseSize } from '../../../model/size.ts'
import { spanWords } from '../../../model/span-words.ts'
import { type FleetSizing, sizeFleet, type SizedFleet } from '../../../fleet/sizing.ts'
import type { Invocation } from '../../command.ts'
import { usageError } from '../../errors.ts'
import type { Io } from '../../output/io.ts'
import { type Cell, tableRows } from '../../output/table.ts'
import type { SizeFlags } from './size.ts'

const INTERVAL = '1h'
const SIZE = '20GiB'

/** Prints the server needs of a fleet. */
export async function runSize({ options }: Invocation<SizeFlags>, io: Io): Promise<number> {
  const { hosts, interval = INTERVAL, size = SIZE, resources = '300', changes = '5', days = '30' } = options
  if (hosts === undefined) throw usageError('missing --hosts N', 'fleet size')
  const fleet: SizedFleet = {
    hosts: Number(hosts),
    intervalMs: parseDuration(interval) ?? 0,
    resources: Number(resources),
    changes: Number(changes),
    days: Number(days),
    bytes: parseSize(size) ?? 0,
  }
  const sizing = sizeFleet(fleet)
  if (options.format === 'json')
    await io.print(`${toSafeJson({ schema: 'driftgate.fleet-size/v1', ...fleet, ...sizing }, 2)}\n`)
  else await io.print(sizingText(fleet, sizing, size))
  return EXIT.ok
}

function sizingText({ hosts, intervalMs, days }: SizedFleet, sizing: FleetSizing, size: string): string {
  const { streams, bytesPerHostAndDay, bytesPerDay, neededBytes, memoryBytes, connectCpuS, cpuPerDayS } = sizing
  const header = ['stream', 'messages', 'bytes', 'kept'].map((text): Cell => ({ text }))
  const rows = streams.map((each): readonly Cell[] => [
    { text: each.name },
    { text: String(Math.round(each.messagesPerHostAndDay)) },
    { text: inUnits(each.bytesPerHostAndDay) },
    { text: countOf(each.keptDays, 'day') },
  ])
  const enough = streams.every(({ keptDays }) => keptDays >= days)
  const lines = [
    `${hosts.toLocaleString('en')} hosts, a report every ${spanWords(intervalMs)}; per host and day with --size ${size}:`,
    ...tableRows([header, ...rows], { firstNumber: 1, paint: (_tone, text) => text }).map((line) => `  ${line}`),
    `disk         ${inUnits(bytesPerHostAndDay)} per host and day, ${inUnits(bytesPerDay)} per day for all`,
    `             ${enough ? 'enough' : 'too little'} for ${countOf(days, 'day')}: --size ${Math.ceil(neededBytes / 2 ** 30)}GiB is needed`,
    `memory       ${inUnits(memoryBytes)} of the server with all connected`,
    `connections  ${hosts.toLocaleString('en')}, each an open file (the unit of "fleet init" allows 65,536)`,
    `CPU          ${inSeconds(connectCpuS)} when all connect at once, ${inSeconds(cpuPerDayS)} for a day of reports`,
  ]
  return lines.map((line) => `${line.trimEnd()}\n`).join('')
}

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const

function inUnits(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1)
  const value = bytes / 1_000 ** power
  return `${value >= 10 || power === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`
}

function inSeconds(seconds: number): string {
  return seconds >= 10 ? `${Math.round(seconds)} s` : `${seconds.toFixed(1)} s`
}
