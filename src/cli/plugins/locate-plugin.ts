import { statSync } from 'node:fs'
import { answeringPath } from '../../host/live/hanging.ts'
import { errorCode } from '../../host/live/system-error.ts'
import { join, resolve } from 'node:path'
import { isBundle } from '../../policy/fetch/remote.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { packageDirectories, packageEntry } from './package-entry.ts'

/** True if a plugin is named by path, false if by package. */
export function isPluginPath(name: string): boolean {
  return /^(\.{0,2}\/|\.{1,2}$)/.test(name) || /\.m?js$/.test(name)
}

/**
 * Finds the file of a plugin: the named path, or the entry of the package, both resolved from a directory. Throws an
 * `OperatorError` if it does not exist.
 */
export function locatePlugin(name: string, from: string): string {
  const problem = (reason: string, cause?: unknown): OperatorError =>
    new OperatorError(`cannot load plugin ${name}: ${reason}`, { cause })
  // Code is never loaded from a policy source.
  if (isBundle(name)) throw problem('a plugin is a file on this host or an installed package')
  const path = isPluginPath(name) ? resolve(from, name) : entryOfPackage(name, from)
  if (path === undefined) {
    const hint = looksLikeFile(join(from, name)) ? `; to load the file of that name, write ./${name}` : ''
    throw problem(`no such package in node_modules of ${from} or its parent directories${hint}`)
  }
  try {
    if (statSync(answeringPath(path)).isDirectory()) throw problem('it is a directory: name the file in it')
    return path
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw problem(errorCode(error) === 'ENOENT' ? `no such file: ${path}` : systemReason(error), error)
  }
}

function entryOfPackage(name: string, from: string): string | undefined {
  for (const directory of packageDirectories(from)) {
    const entry = packageEntry(directory, name)
    if (entry !== undefined) return entry
  }
  return undefined
}

function looksLikeFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}
