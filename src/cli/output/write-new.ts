import { lstatSync, writeFileSync } from 'node:fs'
import { OperatorError } from '../../model/operator-error.ts'
import { openOutputFile } from '../../host/live/output-file.ts'

export interface WriteNewOptions {
  /** Replace an existing file. */
  readonly force: boolean
}

/** Writes a file with mode 0600. Throws an `OperatorError` if it exists, unless `force` is set. */
export async function writeNew(
  path: string,
  text: string,
  { force }: WriteNewOptions = { force: false },
): Promise<void> {
  if (force) {
    await openOutputFile(path, { what: 'policy', mode: 0o600 }).commit(text)
    return
  }
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    throw new OperatorError(`cannot write ${path}: ${isThere ? 'it already exists' : String(error)}`, {
      cause: error,
    })
  }
}

/** Checks early whether `writeNew` would refuse the path. */
export function refuseExisting(path: string, { force }: WriteNewOptions): void {
  if (force || lstatSync(path, { throwIfNoEntry: false }) === undefined) return
  throw new OperatorError(`${path} already exists: pass --force to replace it, or --output with another file`)
}
