import { defined } from '../../model/defined.ts'
import type { Problem, Result } from '../../model/problem.ts'
import { dayOfTime } from '../../model/calendar.ts'
import type { Waiver } from '../../model/waiver.ts'
import { reasonOf } from '../fetch/files.ts'
import { readFileBytes } from '../fetch/text-file.ts'
import { readWaivers, type WaiverFile } from './read.ts'

/** Options of loading waivers. */
export interface LoadWaiversOptions {
  /** The day in UTC, `YYYY-MM-DD`; by default today. */
  readonly today?: string
  /** Maximum duration of a waiver in days, from its creation, otherwise from today. */
  readonly maxDays?: number
}

/**
 * Reads waivers from YAML or JSON files for a scan. Collects all problems of all files, with their positions; a file
 * that is named twice is read once. An expired waiver is no problem, but it accepts nothing in a scan.
 */
export async function loadWaivers(
  paths: string | readonly string[],
  { today = dayOfTime(new Date().toISOString()), maxDays }: LoadWaiversOptions = {},
): Promise<Result<readonly Waiver[]>> {
  const files: WaiverFile[] = []
  const unreadable: Problem[] = []
  for (const file of new Set(typeof paths === 'string' ? [paths] : paths)) {
    try {
      files.push({ file, bytes: readFileBytes(file) })
    } catch (error) {
      unreadable.push({ message: `cannot read the waiver file ${file}: ${reasonOf(error)}`, severity: 'error' })
    }
  }
  const read = readWaivers(files, { today, ...defined({ maxDays }) })
  if (unreadable.length === 0) return read
  return { ok: false, problems: read.ok ? unreadable : [...unreadable, ...read.problems] }
}
