import { parseDuration } from '../../model/duration.ts'

/** Describes why a duration is invalid, as the end of a sentence; undefined if valid. */
export function durationComplaint(atLeastMs: number): (text: string) => string | undefined {
  return (text) => {
    const milliseconds = parseDuration(text)
    if (milliseconds === undefined) return 'must be a duration such as 90s, 15m or 1h30m'
    return milliseconds < atLeastMs ? `must be at least ${atLeastMs} ms` : undefined
  }
}

/** Milliseconds of a valid duration, or of `otherwise` without one. */
export function durationOf(text: string | undefined, otherwise: string): number {
  const milliseconds = parseDuration(text ?? otherwise)
  if (milliseconds === undefined) throw new Error(`"${text}" is not a duration`)
  return milliseconds
}
