import { dirname } from 'node:path'
import process from 'node:process'
import { Script } from 'node:vm'
import type * as Command from '../main.ts'

/** The bundled command line and its V8 script, from which compiled code can be cached. */
export interface LoadedCommand {
  readonly command: typeof Command
  readonly script: Script
}

/** Location of the bundle, its compiled code, and its module loader. */
export interface BundleContext {
  readonly filename: string
  readonly cachedData: Buffer | undefined
  readonly require: (name: string) => unknown
}

/** Whether the command line names a baseline that ships: it runs far more code than most policies. */
export function namesBaseline(args: readonly string[]): boolean {
  return args.some((argument) => argument.startsWith('@'))
}

/** Offset of the flag hash in V8's code cache. V8 rejects a cache with other flags. */
const FLAGS_AT = 12

/** Heap size options, which do not affect generated code. */
const OF_THE_HEAP = /^--(?:max|min|initial)[-_](?:old[-_]space|semi[-_]space|heap)[-_]size=\d+$/

/** Compiled code with the flag hash of this or another process. */
export function withFlags(compiled: Buffer, flags: Buffer = flagsHere()): Buffer {
  const copy = Buffer.from(compiled)
  flags.copy(copy, FLAGS_AT)
  return copy
}

/** Flag hash of this process. */
export function flagsHere(): Buffer {
  return new Script('0').createCachedData().subarray(FLAGS_AT, FLAGS_AT + 4)
}

/** True if this process has only heap size options. */
function isStartedForTheHeap(): boolean {
  const options = [...process.execArgv, ...(process.env['NODE_OPTIONS'] ?? '').split(' ')].filter(Boolean)
  return options.length > 0 && options.every((option) => OF_THE_HEAP.test(option))
}

/**
 * Loads the command line from its text, wrapped by the build in a CommonJS module function. V8 compiles the parts
 * missing in the cache, or everything if the flags differ.
 */
export function evaluate(text: string, { filename, cachedData, require }: BundleContext): LoadedCommand {
  // V8 does not accept a rejected cache in a second script of the same text.
  const compiled = cachedData !== undefined && isStartedForTheHeap() ? withFlags(cachedData) : cachedData
  const script = new Script(text, { filename, ...(compiled !== undefined && { cachedData: compiled }) })
  const module = { exports: {} }
  script.runInThisContext()(module.exports, require, module, filename, dirname(filename))
  return { command: module.exports as typeof Command, script }
}
