import { resolve } from 'node:path'
import type { OperatorError } from '../../../model/operator-error.ts'
import { didYouMean } from '../../../model/suggest.ts'
import { selectCapturing } from '../../../engine/capture.ts'
import type { ResourceType } from '../../../resource-type/define.ts'
import { loadTypes } from '../../../subjects/index.ts'
import type { Desired } from '../../capture/gather.ts'
import { usageError } from '../../errors.ts'

/** Completions: the types with capture support, with a colon. */
export async function listTypePrefixes(): Promise<readonly string[]> {
  return selectCapturing(await loadTypes()).map(({ type }) => `${type}:`)
}

/** Reasons why types cannot be captured. */
const WHY_NOT: Readonly<Record<string, string>> = {
  archive: 'the archive is not on this host; capture the files with file:',
  scaffold: 'the templates are not on this host; capture the files with file:',
  exec: 'the effect of a command is unknown',
  command: 'only you can name the command and its expected output',
}

/** Objects named by the words, without duplicates. Throws a usage error for an invalid word. */
export function wantedBy(words: readonly string[], types: readonly ResourceType[]): readonly Desired[] {
  const found = new Map<string, Desired>()
  for (const word of words) {
    const wanted = readWord(word, types)
    found.set(`${wanted.type.type}:${wanted.name}`, wanted)
  }
  return [...found.values()]
}

function readWord(word: string, types: readonly ResourceType[]): Desired {
  const [, written = '', name = ''] = /^([^:/]*):(.+)$/s.exec(word) ?? []
  if (written === '') {
    const meant = word.startsWith('/') ? `, did you mean "file:${word}"?` : ', write TYPE:NAME such as file:/etc/hosts'
    throw captureUsageError(`"${word}" has no type${meant}`)
  }
  const able = selectCapturing(types)
  // A directory is a resource of type file.
  const wanted = written === 'directory' ? 'file' : written
  const type = able.find((each) => each.type === wanted)
  const known = able.map((each) => each.type)
  if (type !== undefined) return { type, name: wanted === 'file' ? resolve(name) : name }
  if (!types.some((each) => each.type === written)) {
    throw captureUsageError(`unknown type "${written}"${didYouMean(written, known)} (${known.join(', ')})`)
  }
  const why = WHY_NOT[written] ?? 'it checks many resources and cannot be captured itself'
  throw captureUsageError(`${written} cannot be captured: ${why} (${known.join(', ')} can)`)
}

function captureUsageError(message: string): OperatorError {
  return usageError(message, 'capture')
}
