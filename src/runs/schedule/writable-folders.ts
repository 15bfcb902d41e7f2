import { dirname, resolve } from 'node:path'
import { OperatorError } from '../../model/operator-error.ts'
import type { Writable } from './plan.ts'

/** What cannot be written differently in a list of paths of systemd. */
// oxlint-disable-next-line no-control-regex -- it is control characters
const CONTROL = /[\u0000-\u001f\u007f]/

/** What a scan writes to, as the operator named it. */
interface Destinations {
  /** A directory; empty text for the default one, undefined where it stores nothing. */
  readonly history: string | undefined
  /** Paths of reports. */
  readonly reports: readonly string[]
}

/**
 * The folders a scan writes its reports and its history to. Throws an `OperatorError` for a report that would need the
 * whole system to be writable.
 */
export function writableFolders({ history, reports }: Destinations): Writable {
  const folders = reports.flatMap((path) => folderOf(resolve(path)))
  if (history !== undefined && history !== '') folders.push(resolve(history))
  const unspeakable = folders.find((folder) => CONTROL.test(folder))
  if (unspeakable !== undefined) {
    throw new OperatorError(`a unit of systemd cannot name the folder ${JSON.stringify(unspeakable)}`)
  }
  return { writable: [...new Set(folders)].toSorted(), usesState: history === '' }
}

/** A report is replaced by renaming, which needs its folder. Devices are written to as they are. */
function folderOf(path: string): readonly string[] {
  if (/^\/(dev|proc)\//.test(path)) return []
  const folder = dirname(path)
  if (folder !== '/') return [folder]
  throw new OperatorError(`a report in / would need all of the system to be writable: give ${path} a folder of its own`)
}
