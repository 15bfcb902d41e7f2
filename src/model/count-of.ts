/** A number with what it counts: `1 resource`, `3 resources`. The plural is made with an s unless it is given. */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`
}
