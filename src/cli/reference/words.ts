/** Inclusive limits of a number. */
interface Range {
  readonly minimum?: number | undefined
  readonly maximum?: number | undefined
}

/** Limits of a number in words, in its base. */
export function rangeOf(range: Range, base = 10): readonly string[] {
  const [minimum, maximum] = [range.minimum?.toString(base), range.maximum?.toString(base)]
  if (minimum !== undefined && maximum !== undefined) return [`from ${minimum} to ${maximum}`]
  if (minimum !== undefined) return [`at least ${minimum}`]
  return maximum === undefined ? [] : [`at most ${maximum}`]
}

const UNITS = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const

/** Formats a duration in milliseconds in policy syntax: `1h30m`. */
export function formatDuration(durationMs: number): string {
  let rest = durationMs
  const parts = UNITS.map(([unit, sizeMs]) => {
    const count = unit === 'ms' ? rest : Math.floor(rest / sizeMs)
    rest -= count * sizeMs
    return count === 0 ? '' : `${count}${unit}`
  })
  return parts.join('') || '0'
}
