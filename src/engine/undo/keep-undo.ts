import { parseDuration } from '../../model/duration.ts'
import { parseSize } from '../../model/size.ts'

/** Retention of undo data: number, age and total size. */
export interface KeepUndo {
  readonly count: number
  readonly milliseconds: number
  readonly bytes: number
}

export const KEEP_UNDO: KeepUndo = { count: 20, milliseconds: 30 * 86_400_000, bytes: 2 * 1024 ** 3 }

/**
 * Parses `--keep-undo`: a number of fixes, a duration, a size, or several of them separated by commas; other limits are
 * those of `KEEP_UNDO`. `0` disables undo (false). Undefined if invalid.
 */
export function parseKeepUndo(text: string): KeepUndo | false | undefined {
  if (text.trim() === '0') return false
  let keep = KEEP_UNDO
  for (const part of text.split(',').map((each) => each.trim())) {
    const limit = limitOf(part)
    if (limit === undefined) return undefined
    keep = { ...keep, ...limit }
  }
  return keep
}

function limitOf(text: string): Partial<KeepUndo> | undefined {
  if (/^\d+$/.test(text)) return Number(text) > 0 ? { count: Number(text) } : undefined
  const milliseconds = parseDuration(text)
  if (milliseconds !== undefined) return milliseconds > 0 ? { milliseconds } : undefined
  const bytes = parseSize(text)
  return bytes === undefined || bytes === 0 ? undefined : { bytes }
}
