import { OperatorError } from '../model/operator-error.ts'
import type { Result } from '../model/problem.ts'
import { decodeUtf8 } from '../policy/document/text.ts'
import { reasonOf } from '../policy/fetch/files.ts'
import { readFileBytes } from '../policy/fetch/text-file.ts'
import { readRoster, type Roster } from './roster.ts'

/** Reads a roster file. Reports all errors with their positions. */
export function loadRoster(file: string): Result<Roster> {
  let bytes: Uint8Array
  try {
    bytes = readFileBytes(file)
  } catch (error) {
    return {
      ok: false,
      problems: [{ message: `roster ${file} cannot be read: ${reasonOf(error)}`, severity: 'error' }],
    }
  }
  const text = decodeUtf8(file, bytes)
  return typeof text === 'string' ? readRoster(file, text) : { ok: false, problems: [text] }
}

/** Reads a valid roster. Throws an `OperatorError` with all problems. */
export function rosterIn(file: string): Roster {
  const loaded = loadRoster(file)
  if (loaded.ok) return loaded.value
  throw new OperatorError(`the roster ${file} cannot be used`, { problems: loaded.problems })
}
