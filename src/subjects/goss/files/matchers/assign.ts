/** The indexes that remain unmatched in a maximum matching. */
export interface Unassigned {
  readonly wanted: readonly number[]
  readonly values: readonly number[]
}

/**
 * Assigns a distinct value to as many desired items as possible: a maximum bipartite matching by augmenting paths. `fits`
 * tells whether a value matches an item.
 */
export function assign(
  wantedCount: number,
  valueCount: number,
  fits: (wanted: number, value: number) => boolean,
): Unassigned {
  const owner: (number | undefined)[] = Array.from({ length: valueCount }, () => undefined)
  const choices = Array.from({ length: wantedCount }, (_, wanted) =>
    Array.from(owner.keys()).filter((value) => fits(wanted, value)),
  )
  const take = (wanted: number, seen: Set<number>): boolean => {
    for (const value of choices[wanted] ?? []) {
      if (seen.has(value)) continue
      seen.add(value)
      const other = owner[value]
      if (other === undefined || take(other, seen)) {
        owner[value] = wanted
        return true
      }
    }
    return false
  }
  const missing = choices.flatMap((_, wanted) => (take(wanted, new Set()) ? [] : [wanted]))
  return { wanted: missing, values: owner.flatMap((wanted, value) => (wanted === undefined ? [value] : [])) }
}
