/** Offset of the first character of every line. Lines end with a line feed. */
export function lineStartsOf(text: string): readonly number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** The line of an offset, counted from 1. */
export function lineAt(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length]
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if ((starts[middle] ?? Infinity) <= offset) low = middle
    else high = middle
  }
  return low + 1
}

/** Returns the line of an offset, counted from 1. The text is searched once, at the first call. */
export function openLines(text: string): (offset: number) => number {
  let starts: readonly number[] | undefined
  return (offset) => lineAt((starts ??= lineStartsOf(text)), offset)
}
