import { existsSync, type Stats, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import process from 'node:process'
import { answeringPath } from '../../host/live/hanging.ts'
import { makeDirectories, regularStateDirectory } from '../../host/live/state-directory.ts'
import { whoCanMove, whoCanWrite } from '../../host/live/who-can-change.ts'
import { attempt, OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Directory of the history: the named one, else `history` in systemd's state directory of the service, else in
 * driftgate's own state directory. An empty name counts as absent. Throws an `OperatorError` for a user without a home.
 */
export function historyDirectory(named: string | undefined, env: Environment): string {
  if (named !== undefined && named !== '') return named
  // A unit may have several, separated by colons.
  const [given = ''] = env['STATE_DIRECTORY']?.split(':') ?? []
  const state = isAbsolute(given) ? given : regularStateDirectory(env['XDG_STATE_HOME'])
  if (state === undefined) throw new OperatorError('the user has no home directory: pass a directory to --history')
  return join(state, 'history')
}

/** True if the directory exists. Throws an `OperatorError` if that is unknown. */
export function isStarted(directory: string): boolean {
  return attempt(`cannot read the history ${directory}`, () => existsSync(answeringPath(directory)))
}

/** Creates the directory if missing, private to its owner. Throws an `OperatorError` if storing there is unsafe. */
export function prepareDirectory(directory: string): void {
  try {
    answeringPath(directory)
    // Nothing is created in another user's directory either.
    const way = process.geteuid?.() === 0 ? whoCanMove(directory) : undefined
    if (way !== undefined) throw new OperatorError(`cannot store the run in ${directory}: ${way}; ${ADVICE}`)
    makeDirectories(directory)
    const stats = statSync(directory)
    if (!stats.isDirectory()) throw Object.assign(new Error('is not a directory'), { code: 'ENOTDIR' })
    const reason = whyNotToWrite(directory, stats)
    if (reason !== undefined) throw new OperatorError(`cannot store the run in ${directory}: ${reason}`)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`cannot store the run in ${directory}: ${systemReason(error)}`, { cause: error })
  }
}

/**
 * Reason why root must not write to a directory: another user who can write there or move it could plant links and
 * files. Undefined for ordinary users, who only risk their own files.
 */
export function whyNotToWrite(directory: string, stats: Stats): string | undefined {
  if (process.geteuid?.() !== 0) return undefined
  const reason = whoCanMove(directory) ?? whoCanWrite(directory, stats)
  return reason && `${reason}; ${ADVICE}`
}

const ADVICE =
  'root saves runs only in directories that no other user can write to: run chown root and chmod go-w, or choose another one'
