/** A number with what it counts: `1 resource`, `3 resources`. For nouns whose plural is made with an s. */
export function countOf(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`
}
