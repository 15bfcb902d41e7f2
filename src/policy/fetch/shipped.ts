import { readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Problem } from '../../model/problem.ts'
import { didYouMean } from '../../model/suggest.ts'
import { type PolicySource, readAs, readBeside, reasonOf, type SourceFile, type Unreadable } from './files.ts'
import { filesInside, isOneFile, readInside } from './one-file.ts'

/** What the name of a policy that ships begins with. A file that is called so is named with `./` before it. */
const SHIPPED = '@'

/** Where they lie, composed by the build, in a package and in the one file. */
const FOLDER = 'dist/policies'

/** The lists and the catalogue that they are composed of. */
const SOURCES = 'policies'

const POLICY_FILE = /^(?<name>[a-z0-9][a-z0-9.-]*)\.yaml$/

/** The policies that ship, by name, as operands: `@ssh` and its like; or why this installation cannot say it. */
export async function listShipped(): Promise<readonly string[] | Problem> {
  if (isOneFile()) return filesInside(FOLDER).flatMap(operandOf).toSorted()
  const directory = inPackage(FOLDER)
  try {
    return (await readdir(directory)).flatMap(operandOf).toSorted()
  } catch (error) {
    const message = `${directory}: the policies that ship cannot be read: ${reasonOf(error)}; install driftgate again`
    return { message, severity: 'error' }
  }
}

function operandOf(file: string): readonly string[] {
  const name = POLICY_FILE.exec(file)?.groups?.['name']
  return name === undefined ? [] : [SHIPPED + name]
}

/** Where a policy that ships lies; nowhere where it is part of the program. */
export function shippedPath(operand: string): string | undefined {
  return isOneFile() ? undefined : inPackage(join(FOLDER, fileOf(operand)))
}

function fileOf(operand: string): string {
  return `${operand.slice(SHIPPED.length)}.yaml`
}

/** A source where `@name` is the policy of that name that ships with driftgate. */
export function withShipped(files: PolicySource): PolicySource {
  return {
    ...files,
    list: async (source) => (source.startsWith(SHIPPED) ? await findShipped(source) : await files.list(source)),
    read: async (file) => (file.startsWith(SHIPPED) ? await readShipped(file) : await files.read(file)),
  }
}

async function readShipped(operand: string): Promise<SourceFile | Problem> {
  const path = shippedPath(operand)
  if (path !== undefined) return await readAs(operand, path)
  return { file: operand, bytes: readInside(`${FOLDER}/${fileOf(operand)}`), workingDirectory: '/' }
}

async function findShipped(operand: string): Promise<readonly string[] | Problem> {
  const names = await listShipped()
  if ('message' in names || names.includes(operand)) return 'message' in names ? names : [operand]
  const message = `${operand}: no policy of this name ships with driftgate${didYouMean(operand, names)} (driftgate policies lists them)`
  return { message, severity: 'error' }
}

// Sources, library and bundle lie at different depths; by its name the package finds itself from all of them.
function inPackage(path: string): string {
  return join(dirname(createRequire(import.meta.url).resolve('driftgate/package.json')), path)
}

/** The names of the files in a folder of the sources of the policies that ship. */
export async function listSources(folder: string): Promise<readonly string[]> {
  const path = `${SOURCES}/${folder}`
  return isOneFile() ? filesInside(path) : (await readdir(inPackage(path))).toSorted()
}

/** A file of the sources of the policies that ship. */
export async function readSource(path: string): Promise<SourceFile | Unreadable> {
  const file = `${SOURCES}/${path}`
  if (!isOneFile()) return await readBeside({ source: SHIPPED, workingDirectory: inPackage('') }, file)
  return { file, bytes: readInside(file), workingDirectory: '/' }
}
