import { dirname, resolve } from 'node:path'
import { OperatorError } from '../../model/operator-error.ts'
import type { Writable } from './plan.ts'

/** What cannot be written differently in a list of paths of systemd. */
// oxlint-disable-next-line no-control-regex -- it is control characters
const CONTROL = /[\u0000-\u001f\u007f]/

/** Outputs of a scan, as the operator named them. */
interface Destinations {
  /** A directory; empty for the default, undefined without a history. */
  readonly history: string | undefined
  /** Paths of reports. */
  readonly reports: readonly string[]
}

/**
 * Folders of a scan's reports and history. Throws an `OperatorError` for a report that would require write access to
 * the whole system.
 */
export function writableFolders({ history, reports }: Destinations): Writable {
  const folders = reports.flatMap((path) => folderOf(resolve(path)))
  if (history !== undefined && history !== '') folders.push(resolve(history))
  const unspeakable = folders.find((folder) => CONTROL.test(folder))
  if (unspeakable !== undefined) {
    throw new OperatorError(`a systemd unit cannot name the directory ${JSON.stringify(unspeakable)}`)
  }
  return { writable: [...new Set(folders)].toSorted(), usesState: history === '' }
}

/** A report is replaced by renaming, which needs write access to its folder. Devices are written directly. */
function folderOf(path: string): readonly string[] {
  if (/^\/(dev|proc)\//.test(path)) return []
  const folder = dirname(path)
  if (folder !== '/') return [folder]
  throw new OperatorError(`a report in / would make the whole system writable: write ${path} to its own directory`)
}
