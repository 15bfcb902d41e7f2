import { existsSync, type Stats, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import process from 'node:process'
import { answeringPath } from '../../host/live/hanging.ts'
import { makeDirectories, regularStateDirectory } from '../../host/live/state-directory.ts'
import { whoCanMove, whoCanWrite } from '../../host/live/who-can-change.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The directory of the history: the one that is named; else `history` in the directory that systemd gives a service for
 * its state, and without one in driftgate's own state directory of the system or the user. Empty text names none.
 * Throws an `OperatorError` for a user without a home. @see systemd.exec(5), StateDirectory=
 */
export function historyDirectory(named: string | undefined, env: Environment): string {
  if (named !== undefined && named !== '') return named
  // A unit may have several, separated by colons.
  const [given = ''] = env['STATE_DIRECTORY']?.split(':') ?? []
  const state = isAbsolute(given) ? given : regularStateDirectory(env['XDG_STATE_HOME'])
  if (state === undefined) throw new OperatorError('the user has no home directory: name a directory for the history')
  return join(state, 'history')
}

/** Whether anything was stored there yet. Throws an `OperatorError` where that cannot be looked at. */
export function isStarted(directory: string): boolean {
  try {
    return existsSync(answeringPath(directory))
  } catch (error) {
    throw new OperatorError(`cannot read the history ${directory}: ${systemReason(error)}`, { cause: error })
  }
}

/** Makes the directory where it is missing, for its owner alone. Throws an `OperatorError` if nothing may be stored there. */
export function prepareDirectory(directory: string): void {
  try {
    answeringPath(directory)
    // Nothing is made in a directory of another user either.
    const way = process.geteuid?.() === 0 ? whoCanMove(directory) : undefined
    if (way !== undefined) throw new OperatorError(`cannot store the run in ${directory}: ${way}; ${ADVICE}`)
    makeDirectories(directory)
    const stats = statSync(directory)
    if (!stats.isDirectory()) throw Object.assign(new Error('is no directory'), { code: 'ENOTDIR' })
    const reason = whyNotToWrite(directory, stats)
    if (reason !== undefined) throw new OperatorError(`cannot store the run in ${directory}: ${reason}`)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`cannot store the run in ${directory}: ${systemReason(error)}`, { cause: error })
  }
}

/**
 * Why root must not write in a directory: another user who can write there, or can move it away, could lay links and names in
 * its way. Undefined
 * for ordinary users, who risk nothing that is not theirs.
 */
export function whyNotToWrite(directory: string, stats: Stats): string | undefined {
  if (process.geteuid?.() !== 0) return undefined
  const reason = whoCanMove(directory) ?? whoCanWrite(directory, stats)
  return reason && `${reason}; ${ADVICE}`
}

const ADVICE =
  'root saves runs only in directories that no other user can write to: run chown root and chmod go-w, or choose another one'
