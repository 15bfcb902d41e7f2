import { spawnSync } from 'node:child_process'
import { errorCode } from '../../host/live/system-error.ts'
import { writeFileSync } from 'node:fs'
import { createRequire, register } from 'node:module'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { IdleError, rejectWhenIdle } from '../../host/live/reject-when-idle.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { isOneFile } from '../../policy/fetch/one-file.ts'
import { createTemporaryDirectories } from '../../policy/fetch/temporary-directories.ts'
import { dynamicImport } from './dynamic-import.ts'

/**
 * Imports a plugin module. Its imports of `driftgate` resolve to this driftgate if no other one is installed next to
 * it. Throws an `OperatorError`, with the position in the code, if it cannot be loaded.
 */
export async function importModule(path: string, name: string): Promise<object> {
  if (!findsLibrary(path)) await provideLibrary()
  try {
    return Object(await rejectWhenIdle(dynamicImport(pathToFileURL(path).href), 'it'))
  } catch (error) {
    const reason = error instanceof IdleError ? error.message : await describe(error, path)
    throw new OperatorError(`cannot load plugin ${name}: ${reason}`, { cause: error })
  }
}

function findsLibrary(path: string): boolean {
  try {
    createRequire(path).resolve('driftgate')
    return true
  } catch {
    return false // It may not import the library; if it does, it gets this one.
  }
}

let isProvided = false

/**
 * Resolves `driftgate` to this program for modules without their own. What this program has loaded already is not read
 * a second time.
 */
async function provideLibrary(): Promise<void> {
  if (isProvided) return
  isProvided = true
  const library = JSON.stringify(await libraryInside())
  const others = isOneFile()
    ? 'Promise.reject(error)'
    : `next(specifier, { ...context, parentURL: ${JSON.stringify(import.meta.url)} })`
  const hooks = `export async function resolve(specifier, context, next) {
    if (!/^driftgate(\\/|$)/.test(specifier)) return next(specifier, context)
    return next(specifier, context).catch((error) =>
      specifier === 'driftgate' ? { url: ${library}, shortCircuit: true } : ${others})
  }`
  register(asModule(hooks))
}

const LIBRARY = Symbol.for('driftgate.library')

/** A module that exports the library inside this program. */
async function libraryInside(): Promise<string> {
  const library = await import('../../index.ts')
  Object.defineProperty(globalThis, LIBRARY, { value: library, configurable: true })
  return asModule(`export const { ${Object.keys(library).join(', ')} } = globalThis[Symbol.for('driftgate.library')]`)
}

function asModule(text: string): string {
  return `data:text/javascript,${encodeURIComponent(text)}`
}

/** Describes a load error on one line, with its position if known. */
async function describe(error: unknown, path: string): Promise<string> {
  if (!(error instanceof Error)) return `it throws ${String(error)}`
  const message = firstLine(error.message)
  if (error instanceof SyntaxError) return `${message}${formatPlace(linkedPlace(error) ?? (await syntaxPlace(path)))}`
  const code = errorCode(error) ?? ''
  if (code.startsWith('ERR_') && !/^\s+at .*file:/m.test(error.stack ?? '')) return message
  return `it throws ${error.name}: ${message}${formatPlace(thrownPlace(error))}`
}

function formatPlace(place: string | undefined): string {
  return place === undefined ? '' : ` (${place})`
}

/** Node prints the position of an unresolved export above the stack. */
function linkedPlace({ stack = '' }: Error): string | undefined {
  return placeOf(/^(file:.+):(\d+)\n/.exec(stack))
}

/**
 * Node prints the position of a syntax error only on standard error, so a child process checks the module without
 * running it.
 */
async function syntaxPlace(path: string): Promise<string> {
  const directories = createTemporaryDirectories()
  try {
    const [args, env] = isOneFile()
      ? // The single-file build has no `--check`; it runs required modules before driftgate.
        [['--version'], { ...process.env, NODE_OPTIONS: optionsToCheck(directories.create(), path) }]
      : [['--check', path], process.env]
    const { stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env })
    return placeOf(/^((?:file:|\/).+):(\d+)\n/m.exec(stderr)) ?? 'in a module it imports'
  } finally {
    await directories.remove()
  }
}

function optionsToCheck(directory: string, path: string): string {
  const file = join(directory, 'check.cjs')
  writeFileSync(file, `const path = ${JSON.stringify(path)}\n${CHECK}`)
  return `--experimental-vm-modules --no-warnings --require ${JSON.stringify(file)}`
}

/** Compiles a module as Node would, without running it. An error ends the process. */
const CHECK = `const vm = require('node:vm')
const text = require('node:fs').readFileSync(path, 'utf8')
try {
  if (!path.endsWith('.mjs')) vm.compileFunction(text, ['exports', 'require', 'module'], { filename: path })
} catch (error) {
  if (!/import statement|import\\.meta|token 'export'|^await is only/.test(error.message)) throw error
  new vm.SourceTextModule(text, { identifier: path })
}
if (path.endsWith('.mjs')) new vm.SourceTextModule(text, { identifier: path })
`

function thrownPlace({ stack = '' }: Error): string | undefined {
  return placeOf(/^\s+at (?:.*\()?(file:.+?):(\d+):\d+\)?$/m.exec(stack))
}

function placeOf(match: RegExpExecArray | null): string | undefined {
  const [, file = '', line = ''] = match ?? []
  if (file === '') return undefined
  return `${file.startsWith('file:') ? fileURLToPath(file) : file}:${line}`
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
