import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { evaluate, type LoadedCommand } from './evaluate.ts'

/** The name of the bundled command line, which contains the hash of its text. Set by the build. */
declare const COMMAND_FILE: string

const FILE = join(__dirname, COMMAND_FILE)

/**
 * What V8 has compiled of the bundle, for this version of Node on this kind of processor. It is made with the bundle and
 * lies beside it, so that it is as trustworthy as the code itself and nothing has to be written when driftgate runs.
 */
export const CACHE_FILE: string = `${FILE}.${process.version}-${process.arch}.cache`

/** Loads the command line from the file beside this one. */
export function loadCommand(cachedData: Buffer | undefined): LoadedCommand {
  // The build writes ASCII alone, which is the fastest text there is to read.
  return evaluate(readFileSync(FILE, 'latin1'), { filename: FILE, cachedData, require })
}

/** The compiled code of an earlier run of `make-cache`, if there is one for this Node. */
export function readCache(): Buffer | undefined {
  try {
    return readFileSync(CACHE_FILE)
  } catch {
    return undefined // It only saves time, and one that cannot be read is as good as none.
  }
}
