import { parseDuration } from '../core/duration.ts'
import { usageError } from './errors.ts'

/** What a span of time on a command line is read with. */
export interface DurationOption {
  /** The option, without dashes. */
  readonly name: string
  readonly command: string
  /** Shorter ones are refused, in milliseconds. */
  readonly atLeastMs: number
}

/** The milliseconds of a span of time such as `90s` or `1h30m`. Throws an `OperatorError` for any other text. */
export function readDuration(text: string, { name, command, atLeastMs }: DurationOption): number {
  const milliseconds = parseDuration(text)
  if (milliseconds === undefined) {
    throw usageError(`option --${name} must be a span of time such as 90s, 15m or 1h30m, found "${text}"`, command)
  }
  if (milliseconds < atLeastMs) throw usageError(`option --${name} must be at least ${atLeastMs / 1000}s`, command)
  return milliseconds
}
