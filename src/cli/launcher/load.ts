import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { evaluate, type LoadedCommand, namesBaseline } from './evaluate.ts'

/** File name of the bundled command line, with a content hash. Set by the build. */
declare const COMMAND_FILE: string

const FILE = join(__dirname, COMMAND_FILE)

/**
 * V8's compiled code of the bundle, for this Node version and architecture. Built with the bundle and stored next to
 * it, so that it is as trustworthy as the code itself and driftgate writes nothing at run time.
 */
export const CACHE_FILE: string = `${FILE}.${process.version}-${process.arch}.cache`

/** The same for baselines: what they run would cost a small policy more to read than it saves. */
export const BASELINE_CACHE_FILE: string = `${CACHE_FILE}.baseline`

/** Loads the bundled command line. */
export function loadCommand(cachedData: Buffer | undefined): LoadedCommand {
  // The build writes only ASCII, and latin1 is the fastest encoding to read.
  return evaluate(readFileSync(FILE, 'latin1'), { filename: FILE, cachedData, require })
}

/** Compiled code written by `make-cache`, if present for this Node version. */
export function readCache(args: readonly string[] = []): Buffer | undefined {
  try {
    return readFileSync(namesBaseline(args) ? BASELINE_CACHE_FILE : CACHE_FILE)
  } catch {
    return undefined // The cache is optional.
  }
}
