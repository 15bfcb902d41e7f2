import { dirname } from 'node:path'
import process from 'node:process'
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

/** Where V8 writes down the flags it was started with. It refuses compiled code that others have made. */
const FLAGS_AT = 12

/** Options that say how large the heap may get, and change nothing of the code that V8 makes. */
const OF_THE_HEAP = /^--(?:max|min|initial)[-_](?:old[-_]space|semi[-_]space|heap)[-_]size=\d+$/

/** Compiled code with the flags of this very process written down in it, or those that another one had. */
export function withFlags(compiled: Buffer, flags: Buffer = flagsHere()): Buffer {
  const copy = Buffer.from(compiled)
  flags.copy(copy, FLAGS_AT)
  return copy
}

/** The flags of this very process, in the words of V8. */
export function flagsHere(): Buffer {
  return new Script('0').createCachedData().subarray(FLAGS_AT, FLAGS_AT + 4)
}

/** Whether this process was started with options, and with none that could make other code. */
function isStartedForTheHeap(): boolean {
  const options = [...process.execArgv, ...(process.env['NODE_OPTIONS'] ?? '').split(' ')].filter(Boolean)
  return options.length > 0 && options.every((option) => OF_THE_HEAP.test(option))
}

/**
 * Loads the command line from its text, which the build has wrapped in the function of a CommonJS module. V8 compiles what
 * the cache lacks, and everything if it was made with other flags.
 */
export function evaluate(text: string, { filename, cachedData, require }: BundleContext): LoadedCommand {
  // What V8 has refused once it does not take from a second script of the same text.
  const compiled = cachedData !== undefined && isStartedForTheHeap() ? withFlags(cachedData) : cachedData
  const script = new Script(text, { filename, ...(compiled !== undefined && { cachedData: compiled }) })
  const module = { exports: {} }
  script.runInThisContext()(module.exports, require, module, filename, dirname(filename))
  return { command: module.exports as typeof Command, script }
}
