import { parseDuration } from '../../model/duration.ts'

/** What is wrong with a span of time on a command line, as the end of a sentence; undefined if it can be used. */
export function durationComplaint(atLeastMs: number): (text: string) => string | undefined {
  return (text) => {
    const milliseconds = parseDuration(text)
    if (milliseconds === undefined) return 'must be a span of time such as 90s, 15m or 1h30m'
    return milliseconds < atLeastMs ? `must be at least ${atLeastMs} ms` : undefined
  }
}

/** The milliseconds of a valid span of time, or of `otherwise` where none is given. */
export function durationOf(text: string | undefined, otherwise: string): number {
  const milliseconds = parseDuration(text ?? otherwise)
  if (milliseconds === undefined) throw new Error(`"${text}" is no span of time`)
  return milliseconds
}
