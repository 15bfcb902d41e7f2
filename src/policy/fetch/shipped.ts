import { readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Problem } from '../../model/problem.ts'
import { didYouMean } from '../../model/suggest.ts'
import { type PolicySource, readAs, readBeside, reasonOf, type SourceFile, type Unreadable } from './files.ts'
import { filesInside, isOneFile, readInside } from './one-file.ts'

/** Prefix of policies that ship. For a file whose name starts with it, write `./` first. */
const SHIPPED = '@'

/** Their directory, both in the package and in the single executable; the build composes them. */
const FOLDER = 'dist/policies'

/** The lists and the catalogue they are composed of. */
const SOURCES = 'policies'

const POLICY_FILE = /^(?<name>[a-z0-9][a-z0-9.-]*)\.yaml$/

/** The policies that ship, as operands such as `@ssh`, sorted; or a problem with this installation. */
export async function listShipped(): Promise<readonly string[] | Problem> {
  if (isOneFile()) return filesInside(FOLDER).flatMap(operandOf).toSorted()
  const directory = inPackage(FOLDER)
  try {
    return (await readdir(directory)).flatMap(operandOf).toSorted()
  } catch (error) {
    const message = `${directory}: cannot read the shipped policies: ${reasonOf(error)}; reinstall driftgate`
    return { message, severity: 'error' }
  }
}

function operandOf(file: string): readonly string[] {
  const name = POLICY_FILE.exec(file)?.groups?.['name']
  return name === undefined ? [] : [SHIPPED + name]
}

/** The path of a policy that ships; undefined if it is embedded in the executable. */
export function shippedPath(operand: string): string | undefined {
  return isOneFile() ? undefined : inPackage(join(FOLDER, fileOf(operand)))
}

function fileOf(operand: string): string {
  return `${operand.slice(SHIPPED.length)}.yaml`
}

/** Adds the policies that ship to a source, as `@name`. */
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
  const message = `${operand}: no shipped policy has this name${didYouMean(operand, names)} (driftgate policies lists them)`
  return { message, severity: 'error' }
}

// Sources, library and bundle are at different depths; resolving the package name works from all of them.
function inPackage(path: string): string {
  return join(dirname(createRequire(import.meta.url).resolve('driftgate/package.json')), path)
}

/** Names of the files in a source directory of the policies that ship. */
export async function listSources(folder: string): Promise<readonly string[]> {
  const path = `${SOURCES}/${folder}`
  return isOneFile() ? filesInside(path) : (await readdir(inPackage(path))).toSorted()
}

export async function readSource(path: string): Promise<SourceFile | Unreadable> {
  const file = `${SOURCES}/${path}`
  if (!isOneFile()) return await readBeside({ source: SHIPPED, workingDirectory: inPackage('') }, file)
  return { file, bytes: readInside(file), workingDirectory: '/' }
}
