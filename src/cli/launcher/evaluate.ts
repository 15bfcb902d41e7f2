import { dirname } from 'node:path'
import { Script } from 'node:vm'
import type * as Command from '../main.ts'

/** The bundled command line, and its script for those who want to know what V8 has compiled of it. */
export interface LoadedCommand {
  readonly command: typeof Command
  readonly script: Script
}

/** Where the text of the command line stands, what V8 has compiled of it, and how it loads what is not in it. */
export interface BundleContext {
  readonly filename: string
  readonly cachedData: Buffer | undefined
  readonly require: (name: string) => unknown
}

/**
 * Loads the command line from its text, which the build has wrapped in the function of a CommonJS module. V8 compiles what
 * the cache lacks, and everything if it was made with other flags.
 */
export function evaluate(text: string, { filename, cachedData, require }: BundleContext): LoadedCommand {
  const script = new Script(text, { filename, ...(cachedData !== undefined && { cachedData }) })
  const module = { exports: {} }
  script.runInThisContext()(module.exports, require, module, filename, dirname(filename))
  return { command: module.exports as typeof Command, script }
}
