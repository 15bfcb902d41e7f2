import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { type Bundle, type LoadedCommand, loadBundled, namesBaseline } from './evaluate.ts'

/** Name of the bundled command line without its suffix, with a content hash. Set by the build. */
declare const COMMAND: string

const FILES = { command: join(__dirname, `${COMMAND}.js`), parts: join(__dirname, `${COMMAND}.parts.js`) }

/**
 * File of V8's compiled code of a bundle, for this Node version and architecture. Built with the bundle and stored next
 * to it, so that it is as trustworthy as the code itself and driftgate writes nothing at run time. Baselines have files
 * of their own: what they run would cost a small policy more to read than it saves.
 */
export function cacheFile(bundle: Bundle, isForBaselines: boolean): string {
  return `${FILES[bundle]}.${process.version}-${process.arch}.cache${isForBaselines ? '.baseline' : ''}`
}

/** Loads the bundled command line for these arguments, with the compiled code that is there unless `isCached` is false. */
export function loadCommand(args: readonly string[], isCached = true): LoadedCommand {
  const read = (bundle: Bundle) => ({
    // The build writes only ASCII, and latin1 is the fastest encoding to read.
    text: readFileSync(FILES[bundle], 'latin1'),
    filename: FILES[bundle],
    cachedData: isCached ? readCache(cacheFile(bundle, namesBaseline(args))) : undefined,
  })
  return loadBundled(read, require)
}

/** Compiled code written by `make-cache`, if present for this Node version. */
function readCache(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined // The cache is optional.
  }
}
