/** Edit distance: insertions, deletions, substitutions and swaps of neighbours. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let best = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + cost)
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, (beforeLast[j - 2] ?? 0) + 1)
      row.push(best)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}

const MAX_LENGTH = 64

/** Known name closest to a wrong one, ignoring case; undefined if no name is close. */
export function suggestName(wrong: string, known: Iterable<string>): string | undefined {
  if (wrong.length > MAX_LENGTH) return undefined
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(wrong.length / 3)) + 1
  for (const name of known) {
    if (Math.abs(name.length - wrong.length) >= bestDistance) continue
    const found = distance(wrong.toLowerCase(), name.toLowerCase())
    if (found < bestDistance) [best, bestDistance] = [name, found]
  }
  return best
}
