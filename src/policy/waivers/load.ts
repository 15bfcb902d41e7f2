import { defined } from '../../model/defined.ts'
import type { Problem, Result } from '../../model/problem.ts'
import { dayOfTime } from '../../model/calendar.ts'
import type { Waiver } from '../../model/waiver.ts'
import { reasonOf } from '../fetch/files.ts'
import { readFileBytes } from '../fetch/text-file.ts'
import { readWaivers, type WaiverFile } from './read.ts'

/** How waivers are loaded. */
export interface LoadWaiversOptions {
  /** The day in UTC, `YYYY-MM-DD`; by the clock of this machine where absent. */
  readonly today?: string
  /** How many days a waiver may be in force, from the day it was created, or else from today. */
  readonly maxDays?: number
}

/**
 * Reads the waivers of YAML or JSON files for a scan. Everything that is wrong with any of them is told at once, with its
 * place in the file; a file that is named twice is read once. A waiver that has expired is no problem; in a scan it accepts nothing.
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
      unreadable.push({ message: `waiver file ${file} cannot be read: ${reasonOf(error)}`, severity: 'error' })
    }
  }
  const read = readWaivers(files, { today, ...defined({ maxDays }) })
  if (unreadable.length === 0) return read
  return { ok: false, problems: read.ok ? unreadable : [...unreadable, ...read.problems] }
}
