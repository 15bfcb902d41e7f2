// Whether dist is made of what the working tree holds, so that it is built once however many commands need it.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import process from 'node:process'

const NOTE = '.cache/built'
const FOLDERS = ['src', 'scripts/build', 'policies']
const FILES = [
  'package.json',
  'package-lock.json',
  'schemas/plan.schema.json',
  'schemas/report.schema.json',
  'scripts/build.mjs',
  'scripts/event-schema.mjs',
  'scripts/generate.mjs',
  'scripts/severities.mjs',
  'tsconfig.json',
  'tsconfig.build.json',
]

/** A digest of everything that dist is made of: sources, packages, the running Node, and whether lines are counted. */
export async function stateOfInputs(root) {
  const hash = createHash('sha256')
  hash.update([process.version, process.arch, process.env.COVERAGE === undefined ? 'plain' : 'with a map'].join(' '))
  for (const file of [...FILES, ...(await Promise.all(FOLDERS.map((folder) => filesBelow(root, folder)))).flat()]) {
    const content = await readFile(join(root, file))
    hash.update(`\0${file} ${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}

/** Whether the last build that came to its end was made of these inputs and its result is still there. */
export async function isBuilt(root, inputs) {
  if (!existsSync(join(root, 'dist/bin/driftgate.js'))) return false
  return existsSync(join(root, NOTE)) && (await readFile(join(root, NOTE), 'utf8')) === inputs
}

/** Remembers what the finished build was made of. */
export async function noteBuilt(root, inputs) {
  await mkdir(dirname(join(root, NOTE)), { recursive: true })
  await writeFile(join(root, NOTE), inputs)
}

async function filesBelow(root, folder) {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => !file.includes('/generated/'))
    .sort()
}
