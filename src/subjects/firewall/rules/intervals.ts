/** Whole numbers as ranges with both ends, sorted, with gaps between them. Empty if absent. */
export type Intervals = readonly (readonly [first: bigint, last: bigint])[]

/** The ranges in the form of `Intervals`, in any order, overlapping or not. */
export function intervalsOf(ranges: readonly (readonly [first: bigint, last: bigint])[]): Intervals {
  const sorted = ranges.toSorted(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
  const merged: [bigint, bigint][] = []
  for (const [first, last] of sorted) {
    const previous = merged.at(-1)
    if (previous === undefined || first > previous[1] + 1n) merged.push([first, last])
    else if (last > previous[1]) previous[1] = last
  }
  return merged
}

/** What both have. */
export function intersection(left: Intervals, right: Intervals): Intervals {
  const common: [bigint, bigint][] = []
  let [at, other] = [0, 0]
  for (;;) {
    const [one, two] = [left[at], right[other]]
    if (one === undefined || two === undefined) return common
    const first = one[0] > two[0] ? one[0] : two[0]
    const last = one[1] < two[1] ? one[1] : two[1]
    if (first <= last) common.push([first, last])
    if (one[1] < two[1]) at += 1
    else other += 1
  }
}

/** What the first has and the second has not. */
export function difference(left: Intervals, right: Intervals): Intervals {
  const rest: [bigint, bigint][] = []
  let at = 0
  for (const [first, last] of left) {
    let start = first
    while (at > 0 && (right[at - 1]?.[1] ?? -1n) >= start) at -= 1
    for (; ; at += 1) {
      const cut = right[at]
      if (cut === undefined || cut[0] > last) break
      if (cut[1] < start) continue
      if (cut[0] > start) rest.push([start, cut[0] - 1n])
      start = cut[1] + 1n
      if (start > last) break
    }
    if (start <= last) rest.push([start, last])
  }
  return rest
}

/** How many numbers there are. */
export function countOf(intervals: Intervals): bigint {
  return intervals.reduce((count, [first, last]) => count + last - first + 1n, 0n)
}
