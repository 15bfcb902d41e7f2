import { HOUR_MS, MINUTE_MS } from '../../../model/duration.ts'
import { VERDICTS, type Verdict } from '../../../model/verdict.ts'
import type { ResourceResult } from '../../../model/run.ts'

const SECOND_MS = 1_000

const ISO_TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?(?:\.\d+)?Z$/

/** A time as text, `2026-11-20 12:00 UTC`; other texts are unchanged. */
export function formatTime(time: string): string {
  return time.replace(ISO_TIME, '$1 $2 UTC')
}

/** A duration with its two largest units: `41.5 ms`, `2.3 s`, `1 min 5 s`, `2 h 3 min`. */
export function formatDuration(ms: number): string {
  if (ms < SECOND_MS) return `${Number(ms.toPrecision(3))} ms`
  if (ms < MINUTE_MS) return `${Number((ms / SECOND_MS).toFixed(1))} s`
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ${Math.floor((ms % MINUTE_MS) / SECOND_MS)} s`
  return `${Math.floor(ms / HOUR_MS)} h ${Math.floor((ms % HOUR_MS) / MINUTE_MS)} min`
}

/** A number with thousands separators, independent of the locale. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}

/** A number with its noun, in the plural if necessary. */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${count === 1 ? noun : `${noun}s`}`
}

/** Number of results by verdict, in the order of `VERDICTS`; verdicts without results are left out. */
export function countVerdicts(
  results: Iterable<Pick<ResourceResult, 'verdict'>>,
): readonly (readonly [Verdict, number])[] {
  const counts = new Map<Verdict, number>(VERDICTS.map((verdict) => [verdict, 0]))
  for (const { verdict } of results) counts.set(verdict, (counts.get(verdict) ?? 0) + 1)
  return [...counts].filter(([, count]) => count > 0)
}
