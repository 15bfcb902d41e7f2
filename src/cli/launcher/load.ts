import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { Script } from 'node:vm'
import type * as Command from '../main.ts'

/** The name of the bundled command line, which contains the hash of its text. Set by the build. */
declare const COMMAND_FILE: string

const FILE = join(__dirname, COMMAND_FILE)

/**
 * What V8 has compiled of the bundle, for this version of Node on this kind of processor. It is made with the bundle and
 * lies beside it, so that it is as trustworthy as the code itself and nothing has to be written when driftgate runs.
 */
export const CACHE_FILE: string = `${FILE}.${process.version}-${process.arch}.cache`

/** The bundled command line, and its script for those who want to know what V8 has compiled of it. */
export interface LoadedCommand {
  readonly command: typeof Command
  readonly script: Script
}

/** Loads the command line. V8 compiles what the cache lacks, and everything if it was made with other flags. */
export function loadCommand(cachedData: Buffer | undefined): LoadedCommand {
  // The build writes ASCII alone, which is the fastest text there is to read.
  const text = readFileSync(FILE, 'latin1')
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${text}\n})`, {
    filename: FILE,
    ...(cachedData !== undefined && { cachedData }),
  })
  const module = { exports: {} }
  script.runInThisContext()(module.exports, require, module, FILE, dirname(FILE))
  return { command: module.exports as typeof Command, script }
}

/** The compiled code of an earlier run of `make-cache`, if there is one for this Node. */
export function readCache(): Buffer | undefined {
  try {
    return readFileSync(CACHE_FILE)
  } catch {
    return undefined // It only saves time, and one that cannot be read is as good as none.
  }
}
