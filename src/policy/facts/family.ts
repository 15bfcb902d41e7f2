import type { SystemProbe } from '../../host/probe.ts'
import type { TargetSystem } from '../../host/target.ts'
import type { Reading, Unknown } from '../../model/observation.ts'
import { ANY_SHAPE, type MapShape, mapShape, type Shape } from '../template/index.ts'
import type { GoValue } from '../../templates/govalue/index.ts'

/** A map, as seen by templates. */
export type FactMap = ReadonlyMap<string, GoValue>

export interface FactSources {
  readonly probe: SystemProbe
  readonly system: TargetSystem
}

/**
 * A group of facts below one top-level key. Keys and types are those of gopsutil v4, which CCM uses, so that a policy
 * reads the same facts under the same names.
 */
export interface FactFamily {
  readonly name: string
  readonly summary: string
  /** All possible members, on any machine. */
  readonly shape: MapShape
  /** Gathers the facts. An unreadable fact is unknown, never left out and never invented. */
  readonly gather: (sources: FactSources) => GatheredMap
}

/** A gathered fact: its value, a group of facts, or why it could not be read. */
export type Gathered = GoValue | Unknown | GatheredMap

export interface GatheredMap {
  readonly kind: 'facts'
  readonly members: Readonly<Record<string, Gathered>>
}

export function group(members: GatheredMap['members']): GatheredMap {
  return { kind: 'facts', members }
}

/** A fact computed from readings of the probe; unknown if any reading fails. Optional inputs must be read with another probe. */
export function factOf(probe: SystemProbe, compute: (probe: SystemProbe) => GoValue): GoValue | Unknown {
  const [value, trouble] = watchReading(probe, compute)
  return trouble ?? value
}

/** Like `factOf`, for several facts that are read together: all are unknown if any reading fails. */
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

export function toFactMap(entries: Record<string, GoValue>): FactMap {
  return new Map(Object.entries(entries))
}

/** The trimmed text of a file; nil if it is proven absent or unreadable. */
export function textOf(probe: SystemProbe, path: string): string | null {
  const text = probe.readText(path)
  return text.kind === 'known' && text.value !== null ? text.value.trim() : null
}

/** The trimmed text of a file; nil also if it is empty. */
export function wordsOf(probe: SystemProbe, path: string): string | null {
  return textOf(probe, path) || null
}

/** Whether a path exists, even if empty. */
export function isThere(probe: SystemProbe, path: string): boolean {
  const names = probe.list(path)
  return (names.kind === 'known' && names.value !== null) || textOf(probe, path) !== null
}

/** The lines of a file; empty if it is empty, absent or unreadable. */
export function linesOf(probe: SystemProbe, path: string): readonly string[] {
  return wordsOf(probe, path)?.split('\n') ?? []
}

/** The shape of a map with these values, which are also available under the names of Go's structs. */
export function valuesShape(names: readonly string[], further: Readonly<Record<string, Shape>> = {}): MapShape {
  const values = names.map((name): [string, Shape] => [name, ANY_SHAPE])
  return mapShape({ ...Object.fromEntries(values), ...further }, goName)
}

const INITIALISMS: Readonly<Record<string, string>> = { os: 'OS', cpu: 'CPU', mtu: 'MTU' }

/** The field name in the structs of gopsutil: `hostId` becomes `HostID`. */
function goName(name: string): string {
  const capital = name.charAt(0).toUpperCase() + name.slice(1)
  return INITIALISMS[name] ?? capital.replace(/Id$/, 'ID')
}

/** `part` of `whole` in percent; 0 if `whole` is 0. */
export function percent(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : (Number(part) / Number(whole)) * 100
}

/** Parses a decimal integer; nil if invalid. */
export function integerOf(text: string | undefined | null): bigint | null {
  return text !== undefined && text !== null && /^\d+$/.test(text) ? BigInt(text) : null
}
