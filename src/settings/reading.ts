import { known, type Reading } from '../model/observation.ts'
import type { Format } from './formats/format.ts'
import type { Assignment } from './assignment.ts'
import type { ConfigFiles } from './surface.ts'

/** Whether one of these is there; unknown where that is not sure. */
export function anyExists(files: ConfigFiles, paths: readonly string[]): Reading<boolean> {
  for (const path of paths) {
    const seen = files.exists(path)
    if (seen.kind === 'unknown' || seen.value) return seen
  }
  return known(false)
}

/** Whether this is there for sure. */
export function isThere(files: ConfigFiles, path: string): boolean {
  const seen = files.exists(path)
  return seen.kind === 'known' && seen.value
}

/** The assignments of these files one after another; a missing file gives no assignments. */
export function parseAll(
  files: Pick<ConfigFiles, 'text'>,
  paths: readonly string[],
  format: Format,
): Reading<readonly Assignment[]> {
  const assignments: Assignment[] = []
  for (const path of paths) {
    const text = files.text(path)
    if (text.kind === 'unknown') return text
    const parsed = format.parse(text.value ?? '', path)
    if (parsed.kind === 'unknown') return parsed
    assignments.push(...parsed.value)
  }
  return known(assignments)
}

/** Whether a program has a word of its language in it, perhaps as the end of another one; so where it cannot be told. */
export function isInProgram(files: ConfigFiles, program: string, word: string): boolean {
  const texts = files.textsIn(program, [word])
  return texts.kind === 'unknown' || texts.value === null || texts.value.some((text) => text.endsWith(word))
}
