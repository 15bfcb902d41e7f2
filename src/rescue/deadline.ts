import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../target/local/own-file.ts'
import { provesAbsence } from '../target/local/system-error.ts'

/** A fix that is taken back unless somebody confirms it before this time, ISO 8601 in UTC. */
export interface Deadline {
  readonly run: string
  readonly at: string
}

/** Sets the deadline of a fix, or another one. On the disk when it returns. Throws the system's error. */
export function setDeadline(stateDirectory: string, { run, at }: Deadline): void {
  mkdirSync(directoryIn(stateDirectory), { recursive: true, mode: 0o700 })
  replaceFile(join(directoryIn(stateDirectory), run), at, { mode: 0o600 })
}

/** When the deadline of a fix is; undefined where it has none, or has it no more. Throws the system's error. */
export function readDeadline(stateDirectory: string, run: string): string | undefined {
  try {
    return readFileSync(join(directoryIn(stateDirectory), run), 'utf8')
  } catch (error) {
    if (provesAbsence(error)) return undefined
    throw error
  }
}

/** Takes the deadline away: the fix stays. Throws the system's error. */
export function removeDeadline(stateDirectory: string, run: string): void {
  rmSync(join(directoryIn(stateDirectory), run), { force: true })
}

/** The fixes that wait to be confirmed. Throws the system's error. */
export function listDeadlines(stateDirectory: string): readonly Deadline[] {
  return namesIn(directoryIn(stateDirectory)).flatMap((run) => {
    const at = readDeadline(stateDirectory, run)
    return at === undefined ? [] : [{ run, at }]
  })
}

function namesIn(directory: string): readonly string[] {
  try {
    // A file that is being written starts with a dot.
    return readdirSync(directory).filter((name) => !name.startsWith('.'))
  } catch (error) {
    if (provesAbsence(error)) return []
    throw error
  }
}

function directoryIn(stateDirectory: string): string {
  return join(stateDirectory, 'deadlines')
}
