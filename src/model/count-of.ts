/** A number with its noun: `1 resource`, `3 resources`. The default plural ends in s. */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`
}
