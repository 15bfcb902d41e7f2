import { lstatSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { createFolders, replaceFile } from '../../host/live/own-file.ts'
import { readWhole } from '../../host/live/read-whole.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { isOurs, type ScheduleFile } from './plan.ts'

/** Units and crontabs have a few kilobytes. */
const LARGEST_FILE_BYTES = 1024 * 1024

/** Schedulers require that other users cannot write to their files. */
const MODE = 0o644

/**
 * True if the schedule file exists. Throws an `OperatorError` for a file that `driftgate schedule install` has not
 * written: it must not be replaced or removed.
 */
export function isInstalled(path: string): boolean {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return false
    if (isOurs(readWhole(path, LARGEST_FILE_BYTES).toString('utf8'))) return true
  } catch (error) {
    throw new OperatorError(`cannot read ${path}: ${systemReason(error)}`, { cause: error })
  }
  throw new OperatorError(`${path} was not written by driftgate and is kept: choose another --name`)
}

/** Writes a schedule file atomically and creates its folders. Throws an `OperatorError`. */
export function writeScheduleFile({ path, text }: ScheduleFile): void {
  try {
    createFolders(dirname(path))
    // systemd and cron ignore its temporary file, whose name starts with a dot.
    replaceFile(path, text, { mode: MODE })
  } catch (error) {
    throw new OperatorError(`cannot write ${path}: ${systemReason(error)}`, { cause: error })
  }
}

/** Removes a file of a schedule. Throws an `OperatorError`. */
export function removeScheduleFile(path: string): void {
  try {
    rmSync(path)
  } catch (error) {
    throw new OperatorError(`cannot remove ${path}: ${systemReason(error)}`, { cause: error })
  }
}

/** Creates the folders for a run's output: systemd can only grant access to existing ones. */
export function createWritableFolders(folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      createFolders(folder)
    } catch (error) {
      throw new OperatorError(`cannot create ${folder}: ${systemReason(error)}`, { cause: error })
    }
  }
}
