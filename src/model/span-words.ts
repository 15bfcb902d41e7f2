const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const

/** A duration in milliseconds as text: the largest unit that fits and the one below it, `3d 4h`, `12m`, `0s`. */
export function spanWords(milliseconds: number): string {
  const index = UNITS.findIndex(([, size]) => milliseconds >= size)
  const [unit, size] = UNITS[index] ?? ['s', 1_000]
  const next = UNITS[index + 1]
  const whole = Math.max(0, Math.floor(milliseconds / size))
  const rest = next === undefined || index < 0 ? 0 : Math.floor((milliseconds - whole * size) / next[1])
  return rest === 0 ? `${whole}${unit}` : `${whole}${unit} ${rest}${next?.[0] ?? ''}`
}
