export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

const MILLISECONDS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  D: 86_400_000,
  w: 604_800_000,
  W: 604_800_000,
  M: 30 * 86_400_000,
  y: 365 * 86_400_000,
  Y: 365 * 86_400_000,
}

const PART = /([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(ns|us|\u00b5s|\u03bcs|ms|[smhdDwWMyY])/y

/** Durations, for editor schemas. */
export const DURATION_PATTERN: string = `^(?:${PART.source})+$`

/**
 * Parses a duration such as `90s`, `1h30m` or `2d` into milliseconds; undefined if invalid. Units are those of Go plus
 * days, weeks, months of 30 and years of 365 days (`d w M y`), as in CCM. Separators, signs, trailing text and numbers
 * without a unit (except `0`) are invalid.
 */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0
  let total = 0
  PART.lastIndex = 0
  while (PART.lastIndex < text.length) {
    const part = PART.exec(text)
    if (part === null) return undefined
    total += Number(part[1]) * (MILLISECONDS[part[2] ?? ''] ?? Number.NaN)
  }
  return text === '' || !Number.isFinite(total) ? undefined : total
}

/** Days since 1970, as shadow(5) counts them. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS)
}
