import { parseDuration } from '../../model/duration.ts'

/** Which runs are kept: a number of the newest, or those that started within a span of time. */
export type Keep =
  { readonly kind: 'newest'; readonly count: number } | { readonly kind: 'span'; readonly milliseconds: number }

/** Reads the value of `--keep`; undefined where it says neither. */
export function parseKeep(text: string): Keep | undefined {
  if (/^\d+$/.test(text)) {
    const count = Number(text)
    return count >= 1 && Number.isSafeInteger(count) ? { kind: 'newest', count } : undefined
  }
  const milliseconds = parseDuration(text)
  return milliseconds === undefined || milliseconds <= 0 ? undefined : { kind: 'span', milliseconds }
}
