import { lstatSync, writeFileSync } from 'node:fs'
import { OperatorError } from '../../model/operator-error.ts'
import { openOutputFile } from '../../host/live/output-file.ts'

/** How a file is written that may be there already. */
export interface WriteNewOptions {
  /** Whether it is replaced then. */
  readonly force: boolean
}

/** Writes a file with mode 0600. Throws an `OperatorError` where one is there, unless it is to be replaced. */
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
    throw new OperatorError(`cannot write ${path}: ${isThere ? 'it is there already' : String(error)}`, {
      cause: error,
    })
  }
}

/** Refuses at once what `writeNew` would refuse once the work is done. */
export function refuseExisting(path: string, { force }: WriteNewOptions): void {
  if (force || lstatSync(path, { throwIfNoEntry: false }) === undefined) return
  throw new OperatorError(`${path} is there already: say --force to replace it, or --output FILE for another one`)
}
