import { dirname } from 'node:path'
import process from 'node:process'
import { Script } from 'node:vm'
import type * as Command from '../main.ts'

/** The bundled command line and its V8 scripts, from which compiled code can be cached. */
export interface LoadedCommand {
  readonly command: typeof Command
  readonly scripts: ReadonlyMap<Bundle, Script>
}

/** The two texts of the command line: what nearly every scan runs, and the parts that it asks for later. */
export type Bundle = 'command' | 'parts'

/** A text with its location and its compiled code. */
export interface BundledText {
  readonly text: string
  readonly filename: string
  readonly cachedData: Buffer | undefined
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
 * Loads the command line, and its parts when they are first asked for. The build wraps each text in a CommonJS module
 * function. V8 compiles what is missing in the cache, or everything if the flags differ.
 */
export function loadBundled(
  read: (bundle: Bundle) => BundledText,
  requireNode: (name: string) => unknown,
): LoadedCommand {
  const scripts = new Map<Bundle, Script>()
  const load = (bundle: Bundle): unknown => {
    const { text, filename, cachedData } = read(bundle)
    // V8 does not accept a rejected cache in a second script of the same text. Flags set since the start affect no code.
    const isTaken = scripts.get('command')?.cachedDataRejected === false || isStartedForTheHeap()
    const compiled = cachedData !== undefined && isTaken ? withFlags(cachedData) : cachedData
    const script = new Script(text, { filename, ...(compiled !== undefined && { cachedData: compiled }) })
    scripts.set(bundle, script)
    const module = { exports: {} }
    script.runInThisContext()(module.exports, require, module, filename, dirname(filename))
    return module.exports
  }
  const require = (name: string): unknown => (name === './parts.js' ? load('parts') : requireNode(name))
  return { command: load('command') as typeof Command, scripts }
}
