import { readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Problem } from '../core/problem.ts'
import { didYouMean } from '../core/suggest.ts'
import { type PolicySource, readAs, reasonOf } from './files.ts'

/** What the name of a policy that ships begins with. A file that is called so is named with `./` before it. */
const SHIPPED = '@'

const POLICY_FILE = /^(?<name>[a-z0-9][a-z0-9.-]*)\.yaml$/

/** The policies that ship, by name, as operands: `@ssh` and its like; or why this installation cannot say it. */
export async function listShipped(): Promise<readonly string[] | Problem> {
  const directory = policiesDirectory()
  try {
    const files = (await readdir(directory)).flatMap((file) => POLICY_FILE.exec(file)?.groups?.['name'] ?? [])
    return files.map((name) => SHIPPED + name).toSorted()
  } catch (error) {
    const message = `${directory}: the policies that ship cannot be read: ${reasonOf(error)}; install driftgate again`
    return { message, severity: 'error' }
  }
}

/** Where a policy that ships lies. */
export function shippedPath(operand: string): string {
  return join(policiesDirectory(), `${operand.slice(SHIPPED.length)}.yaml`)
}

/** A source where `@name` is the policy of that name that ships with driftgate. */
export function withShipped(files: PolicySource): PolicySource {
  return {
    ...files,
    list: async (source) => (source.startsWith(SHIPPED) ? await findShipped(source) : await files.list(source)),
    read: async (file) => (file.startsWith(SHIPPED) ? await readAs(file, shippedPath(file)) : await files.read(file)),
  }
}

async function findShipped(operand: string): Promise<readonly string[] | Problem> {
  const names = await listShipped()
  if ('message' in names || names.includes(operand)) return 'message' in names ? names : [operand]
  const message = `${operand}: no policy of this name ships with driftgate${didYouMean(operand, names)} (driftgate policies lists them)`
  return { message, severity: 'error' }
}

// Sources, library and bundle lie at different depths; by its name the package finds itself from all of them.
function policiesDirectory(): string {
  return join(dirname(createRequire(import.meta.url).resolve('driftgate/package.json')), 'policies')
}
