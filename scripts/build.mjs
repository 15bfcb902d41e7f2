// Builds dist: the library with its types by tsc, and the command line as two files that are loaded by a small
// launcher, through what V8 has compiled of it. `--if-needed` does nothing where dist is already made of what there is. With
// COVERAGE in the environment a source map lies beside the bundle, for those who count which lines of it are run.
import { spawnSync } from 'node:child_process'
import { cp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { buildCommand } from './build/command.mjs'
import { isBuilt, noteBuilt, stateOfInputs } from './build/inputs.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')

const inputs = await stateOfInputs(root)
if (process.argv.includes('--if-needed') && (await isBuilt(root, inputs))) {
  console.log('dist is current')
  process.exit(0)
}

await rm(dist, { recursive: true, force: true })
runNode('scripts/generate.mjs')
runNode(createRequire(import.meta.url).resolve('typescript/bin/tsc'), '-p', 'tsconfig.build.json')
// What is generated as JavaScript is nothing tsc would write.
await cp(join(root, 'src/policy/schema/generated'), join(dist, 'policy/schema/generated'), { recursive: true })
const command = await buildCommand({ root, folder: join(dist, 'bin'), withMap: process.env.COVERAGE !== undefined })
runNode('dist/bin/make-cache.js')
await noteBuilt(root, inputs)
console.log(`built dist: library, and dist/bin/driftgate.js with ${command}.js`)

function runNode(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
