import type { SystemProbe } from '../../host/probe.ts'
import type { TargetSystem } from '../../host/target.ts'
import type { Reading, Unknown } from '../../model/observation.ts'
import { ANY_SHAPE, type MapShape, mapShape, type Shape } from '../template/index.ts'
import type { GoValue } from '../../templates/govalue/index.ts'

/** A map as templates see it. */
export type FactMap = ReadonlyMap<string, GoValue>

/** Where a family gathers from. */
export interface FactSources {
  readonly probe: SystemProbe
  readonly system: TargetSystem
}

/**
 * A group of facts below one top-level key. The keys and types are those of gopsutil v4, on which the policies' own
 * tool stands, so that a policy reads the same facts under the same names.
 */
export interface FactFamily {
  readonly name: string
  readonly summary: string
  /** Every member there can be, on any machine. */
  readonly shape: MapShape
  /** Gathers the facts. What could not be read is said, never left out and never a made-up value. */
  readonly gather: (sources: FactSources) => GatheredMap
}

/** A fact as it is gathered: its value, facts below it, or what kept it from being read. */
export type Gathered = GoValue | Unknown | GatheredMap

/** Facts by name, as they are gathered. */
export interface GatheredMap {
  readonly kind: 'facts'
  readonly members: Readonly<Record<string, Gathered>>
}

/** A group of facts, any of which may be unknown. */
export function group(members: GatheredMap['members']): GatheredMap {
  return { kind: 'facts', members }
}

/**
 * The fact that is computed from what a probe reads; unknown if any of that could not be read. What a fact can do without
 * is read with another probe.
 */
export function factOf(probe: SystemProbe, compute: (probe: SystemProbe) => GoValue): GoValue | Unknown {
  const [value, trouble] = watchReading(probe, compute)
  return trouble ?? value
}

/** As `factOf`, for several facts that are read together: each is unknown if any of them is. */
export function watchReading<Result>(
  probe: SystemProbe,
  compute: (probe: SystemProbe) => Result,
): readonly [value: Result, trouble: Unknown | undefined] {
  let trouble: Unknown | undefined
  const noted = <Value>(reading: Reading<Value>): Reading<Value> => {
    if (reading.kind === 'unknown') trouble ??= reading
    return reading
  }
  const value = compute({
    machine: probe.machine,
    readText: (path) => noted(probe.readText(path)),
    list: (path) => noted(probe.list(path)),
    filesystemUsage: (path) => probe.filesystemUsage(path),
    addresses: () => probe.addresses(),
  })
  return [value, trouble]
}

/** A map of facts from a plain object of values. */
export function facts(entries: Record<string, GoValue>): FactMap {
  return new Map(Object.entries(entries))
}

/**
 * The text of a file without the white space around it, empty if there is nothing else in it; nil where it is proved
 * absent, or cannot be read.
 */
export function textOf(probe: SystemProbe, path: string): string | null {
  const text = probe.readText(path)
  return text.kind === 'known' && text.value !== null ? text.value.trim() : null
}

/** The same, nil also where there is no text in the file. */
export function wordsOf(probe: SystemProbe, path: string): string | null {
  return textOf(probe, path) || null
}

/** Whether anything is at a path, be it empty. */
export function isThere(probe: SystemProbe, path: string): boolean {
  const names = probe.list(path)
  return (names.kind === 'known' && names.value !== null) || textOf(probe, path) !== null
}

/** The lines of a file; none where it is empty, absent or cannot be read. */
export function linesOf(probe: SystemProbe, path: string): readonly string[] {
  return wordsOf(probe, path)?.split('\n') ?? []
}

/** The shape of a map with these values, below the names that Go's own structs give them as well. */
export function valuesShape(names: readonly string[], further: Readonly<Record<string, Shape>> = {}): MapShape {
  const values = names.map((name): [string, Shape] => [name, ANY_SHAPE])
  return mapShape({ ...Object.fromEntries(values), ...further }, goName)
}

const INITIALISMS: Readonly<Record<string, string>> = { os: 'OS', cpu: 'CPU', mtu: 'MTU' }

/** The name of a field in the structs of gopsutil: `hostId` is `HostID` there. */
function goName(name: string): string {
  const capital = name.charAt(0).toUpperCase() + name.slice(1)
  return INITIALISMS[name] ?? capital.replace(/Id$/, 'ID')
}

/** `part` of `whole` in percent; 0 of nothing is 0. */
export function percent(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : (Number(part) / Number(whole)) * 100
}

/** The decimal integer a text is, or nil. */
export function integerOf(text: string | undefined | null): bigint | null {
  return text !== undefined && text !== null && /^\d+$/.test(text) ? BigInt(text) : null
}
