import { known, type Reading, readLists } from '../model/observation.ts'
import type { Format } from './formats/format.ts'
import type { Assignment } from './assignment.ts'
import type { ConfigFiles } from './surface.ts'

/** Whether any of these paths exists; unknown if uncertain. */
export function anyExists(files: ConfigFiles, paths: readonly string[]): Reading<boolean> {
  for (const path of paths) {
    const seen = files.exists(path)
    if (seen.kind === 'unknown' || seen.value) return seen
  }
  return known(false)
}

/** Whether the path certainly exists. */
export function isThere(files: ConfigFiles, path: string): boolean {
  const seen = files.exists(path)
  return seen.kind === 'known' && seen.value
}

/** The assignments of these files in order; a missing file counts as empty. */
export function parseAll(
  files: Pick<ConfigFiles, 'text'>,
  paths: readonly string[],
  format: Format,
): Reading<readonly Assignment[]> {
  return readLists(paths, (path) => {
    const text = files.text(path)
    return text.kind === 'unknown' ? text : format.parse(text.value ?? '', path)
  })
}

/** Whether a program contains a word, possibly as the end of another one; true if that is unknown. */
export function isInProgram(files: ConfigFiles, program: string, word: string): boolean {
  const texts = files.textsIn(program, [word])
  return texts.kind === 'unknown' || texts.value === null || texts.value.some((text) => text.endsWith(word))
}
