import type { SystemProbe } from '../target/probe.ts'
import type { TargetSystem } from '../target/target.ts'
import type { GoValue } from '../template/govalue/index.ts'

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
  /** Gathers the facts. What the machine does not tell is nil, never a made-up value. */
  readonly gather: (sources: FactSources) => FactMap
}

/** A map of facts from a plain object of values. */
export function facts(entries: Record<string, GoValue>): FactMap {
  return new Map(Object.entries(entries))
}

/** The text of a file without the white space around it; nil where it cannot be read or is empty. */
export function textOf(probe: SystemProbe, path: string): string | null {
  const text = probe.readText(path)
  return text.kind === 'known' && text.value !== null ? text.value.trim() || null : null
}

/** The lines of a file; none where it cannot be read. */
export function linesOf(probe: SystemProbe, path: string): readonly string[] {
  return textOf(probe, path)?.split('\n') ?? []
}

/** `part` of `whole` in percent; 0 of nothing is 0. */
export function percent(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : (Number(part) / Number(whole)) * 100
}

/** The decimal integer a text is, or nil. */
export function integerOf(text: string | undefined | null): bigint | null {
  return text !== undefined && text !== null && /^\d+$/.test(text) ? BigInt(text) : null
}
