/**
 * The candidate nearest to a mistyped word, within a third of its length (at least one edit); undefined if there is
 * none. A transposition, a frequent typing error, counts as one edit.
 */
export function findNearest(word: string, candidates: Iterable<string>): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3))
  let best: string | undefined
  let bestDistance = limit + 1
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), bestDistance)
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** A "did you mean" clause to append to a message, or an empty text. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const suggestion = findNearest(word, candidates)
  return suggestion === undefined ? '' : `, did you mean "${suggestion}"?`
}

/** Optimal string alignment distance; stops as soon as it must exceed `ceiling`. */
function editDistance(left: string, right: string, ceiling: number): number {
  if (Math.abs(left.length - right.length) >= ceiling) return ceiling
  let beforeLast: number[] = []
  let last = Array.from({ length: right.length + 1 }, (_, column) => column)
  for (let row = 1; row <= left.length; row++) {
    const current = [row]
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1]
      const swapped =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]
      current[column] = Math.min(
        cellAt(last, column) + 1,
        cellAt(current, column - 1) + 1,
        cellAt(last, column - 1) + (same ? 0 : 1),
        swapped ? cellAt(beforeLast, column - 2) + 1 : Infinity,
      )
    }
    if (Math.min(...current) >= ceiling) return ceiling
    beforeLast = last
    last = current
  }
  return cellAt(last, right.length)
}

function cellAt(row: readonly number[], column: number): number {
  return row[column] ?? Infinity
}
