import type { KeyName } from './assignment.ts'
import type { Format } from './formats/format.ts'
import { parseAll } from './reading.ts'
import type { Surface } from './surface.ts'
import { VALUES } from './values.ts'

/** A single file in a format: the last assignment takes precedence, and a fix edits the file. */
export function fileSurface(path: string, format: Format, preset?: string): Surface {
  return {
    name: path,
    summary: 'One file; the last assignment of a key wins.',
    installed: (files) => files.exists(path),
    keyOf: (text) => keyOfFormat(text, format),
    rulesOf: () => ({ order: VALUES, wins: 'last', ...(preset === undefined ? {} : { default: preset }) }),
    read: (files) => parseAll(files, [path], format),
    writes: () => ({ file: path, format }),
    activation: { kind: 'none' },
  }
}

/** In a format with sections, parses `section.key`: the key is after the last dot. */
export function keyOfFormat(text: string, format: Format): KeyName {
  if (format.keyOf !== undefined) return { section: '', key: format.keyOf(text) }
  const dot = format.hasSections ? text.lastIndexOf('.') : -1
  return { section: text.slice(0, Math.max(dot, 0)), key: text.slice(dot + 1) }
}
