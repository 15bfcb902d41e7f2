import { lstatSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { createFolders, replaceFile } from '../../host/live/own-file.ts'
import { readWhole } from '../../host/live/read-whole.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { isOurs, type ScheduleFile } from './plan.ts'

/** A unit or crontab of ours has some kilobytes. */
const LARGEST_FILE_BYTES = 1024 * 1024

/** What schedulers demand of their files: no write access for other users. */
const MODE = 0o644

/**
 * Whether a file of a schedule lies there. Throws an `OperatorError` where something lies there that no
 * `driftgate schedule install` has written: it is not ours to replace or remove.
 */
export function isInstalled(path: string): boolean {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return false
    if (isOurs(readWhole(path, LARGEST_FILE_BYTES).toString('utf8'))) return true
  } catch (error) {
    throw new OperatorError(`cannot read ${path}: ${systemReason(error)}`, { cause: error })
  }
  throw new OperatorError(`${path} was not written by driftgate, and stays as it is: choose another --name`)
}

/** Writes a file of a schedule all at once, creating its folders. Throws an `OperatorError`. */
export function writeScheduleFile({ path, text }: ScheduleFile): void {
  try {
    createFolders(dirname(path))
    // Neither systemd nor cron takes its temporary file, which starts with a dot, for one of theirs.
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

/** Creates the folders that a run writes to: systemd can only let it write to what is there. */
export function createWritableFolders(folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      createFolders(folder)
    } catch (error) {
      throw new OperatorError(`cannot create ${folder}: ${systemReason(error)}`, { cause: error })
    }
  }
}
