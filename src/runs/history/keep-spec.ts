import { parseDuration } from '../../model/duration.ts'

/** Retention of runs: a number of the newest, or an age. */
export type Keep =
  { readonly kind: 'newest'; readonly count: number } | { readonly kind: 'span'; readonly milliseconds: number }

/** Parses `--keep`; undefined if invalid. */
export function parseKeep(text: string): Keep | undefined {
  if (/^\d+$/.test(text)) {
    const count = Number(text)
    return count >= 1 && Number.isSafeInteger(count) ? { kind: 'newest', count } : undefined
  }
  const milliseconds = parseDuration(text)
  return milliseconds === undefined || milliseconds <= 0 ? undefined : { kind: 'span', milliseconds }
}
