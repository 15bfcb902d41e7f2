// Node resolves packages only relative to the importing module, which is not where plugins are.
// @see https://nodejs.org/docs/latest-v20.x/api/esm.html#resolution-algorithm-specification
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { readWhole } from '../../host/live/read-whole.ts'
import { OperatorError } from '../../model/operator-error.ts'

const LARGEST_MANIFEST_BYTES = 16 * 1024 * 1024

const CONDITIONS = new Set(['node', 'import', 'module-sync', 'default'])

/**
 * Resolves an import of `name` (`package`, `@scope/package`, either with a subpath) in this directory of packages;
 * undefined if the package is not there. Throws an `OperatorError` if the package does not export the module.
 */
export function packageEntry(directory: string, name: string): string | undefined {
  const [, packageName, subpath = ''] = /^((?:@[^/]+\/)?[^/]+)(\/.+)?$/.exec(name) ?? []
  if (packageName === undefined) return undefined
  const root = join(directory, packageName)
  const manifestFile = join(root, 'package.json')
  if (!existsSync(manifestFile)) return undefined
  const { exports, main } = readManifest(manifestFile, name)
  const target = exports === undefined ? plainTarget(main, subpath) : exportedTarget(exports, `.${subpath}`)
  const file = target === undefined ? undefined : resolve(root, target)
  if (file?.startsWith(root + sep) === true) return file
  throw new OperatorError(`cannot load plugin ${name}: the package in ${root} exports no such module`)
}

/** Relevant fields of a package.json. */
type Manifest = Partial<Record<'exports' | 'main' | (typeof NEEDS)[number], unknown>>

const NEEDS = ['dependencies', 'optionalDependencies', 'peerDependencies'] as const

/**
 * Folders of a module's code: its package and installed dependencies, or the file alone without a package. driftgate
 * itself is excluded: the remote side has it.
 */
export function codeOf(path: string): readonly string[] {
  const own = packageOf(dirname(path))
  if (own === undefined) return [path]
  const found = new Set<string>()
  const visit = (folder: string): void => {
    if (found.has(folder)) return
    found.add(folder)
    const manifest = readManifest(join(folder, 'package.json'), folder)
    const names = NEEDS.flatMap((member) => Object.keys(Object(manifest[member])))
    for (const name of names.filter((each) => each !== 'driftgate')) {
      const installed = packageDirectories(folder).find((directory) =>
        existsSync(join(directory, name, 'package.json')),
      )
      if (installed !== undefined) visit(join(installed, name))
    }
  }
  visit(own)
  return [...found]
}

/** Nearest parent folder with a package.json. */
function packageOf(folder: string): string | undefined {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  return parent === folder || basename(folder) === 'node_modules' ? undefined : packageOf(parent)
}

/** Directories in which packages are looked up from a folder, nearest first. */
export function packageDirectories(folder: string): readonly string[] {
  return createRequire(join(folder, 'noop.js')).resolve.paths('a-package') ?? []
}

function readManifest(file: string, name: string): Manifest {
  try {
    const manifest: unknown = JSON.parse(readWhole(file, LARGEST_MANIFEST_BYTES).toString('utf8'))
    return typeof manifest === 'object' && manifest !== null ? manifest : {}
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new OperatorError(`cannot load plugin ${name}: ${file} cannot be read: ${reason}`, { cause: error })
  }
}

function plainTarget(main: unknown, subpath: string): string {
  if (subpath !== '') return `.${subpath}`
  return typeof main === 'string' ? main : 'index.js'
}

function exportedTarget(exports: unknown, subpath: string): string | undefined {
  const isMap = typeof exports === 'object' && exports !== null && !Array.isArray(exports)
  const hasSubpaths = isMap && Object.keys(exports).some((key) => key.startsWith('.'))
  if (!hasSubpaths) return subpath === '.' ? conditionalTarget(exports) : undefined
  return conditionalTarget(Reflect.get(exports, subpath))
}

/** The first matching condition decides, in the order of the package. */
function conditionalTarget(target: unknown): string | undefined {
  if (typeof target === 'string') return target
  if (Array.isArray(target)) return target.map(conditionalTarget).find((found) => found !== undefined)
  if (typeof target !== 'object' || target === null) return undefined
  for (const [condition, value] of Object.entries(target)) {
    const found = CONDITIONS.has(condition) ? conditionalTarget(value) : undefined
    if (found !== undefined) return found
  }
  return undefined
}
