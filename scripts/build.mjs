// Builds dist: the library with its types by tsc, and the command line as two files that are loaded by a small
// launcher, through what V8 has compiled of it. `--if-needed` does nothing where dist is already made of what there is. With
// COVERAGE in the environment a source map lies beside the bundle, for those who count which lines of it are run.
import { spawnSync } from 'node:child_process'
import { chmod, cp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { bundleCommand } from './build/bundle.mjs'
import { isBuilt, noteBuilt, stateOfInputs } from './build/inputs.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')

const COMMON = {
  absWorkingDir: root,
  outdir: 'dist/bin',
  bundle: true,
  format: 'cjs',
  platform: 'node',
  legalComments: 'none',
  logLevel: 'warning',
}

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
// Code that V8 takes from a cache cannot import modules, so the file that imports plugins stays outside of the bundle.
const keepDynamicImport = {
  name: 'keep-dynamic-import',
  setup(bundle) {
    bundle.onResolve({ filter: /\/dynamic-import\.ts$/, namespace: 'file' }, ({ kind }) =>
      kind === 'entry-point' ? undefined : { path: './dynamic-import.js', external: true },
    )
  },
}

// yargs measures the width of characters when it lays out help. Its measure prepares tables and large patterns when it is
// loaded, a fifth of a small scan, so that happens when the first text is measured.
const measureLate = {
  name: 'measure-late',
  setup(bundle) {
    bundle.onResolve({ filter: /^string-width$/ }, ({ kind, path, resolveDir }) =>
      kind === 'import-statement' ? { path, namespace: 'measure-late', pluginData: resolveDir } : undefined,
    )
    bundle.onLoad({ filter: /.*/, namespace: 'measure-late' }, ({ pluginData: resolveDir }) => ({
      contents: `let measure
        export default (...args) => (measure ??= require('string-width').default)(...args)`,
      resolveDir,
    }))
  },
}

// A package that is required only when a value asks for it. The one file has no node_modules beside it, so it carries the package.
const carryRequired = {
  name: 'carry-required',
  setup(bundle) {
    const required = /createRequire\(import\.meta\.url\)\((?='[^.'])/g
    bundle.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const contents = text.replaceAll(required, 'require(')
      return contents === text ? undefined : { contents, loader: 'ts' }
    })
  },
}

// yargs looks for a package.json to tell a version that driftgate tells itself, and without one an assertion fails. Node's
// explains itself with the differences of what was compared and the stack: more than all else that yargs does.
const assertBriefly = {
  name: 'assert-briefly',
  setup(bundle) {
    bundle.onResolve({ filter: /^assert$/ }, ({ path, importer }) =>
      importer.includes('/yargs/lib/') ? { path, namespace: 'assert-briefly' } : undefined,
    )
    bundle.onLoad({ filter: /.*/, namespace: 'assert-briefly' }, () => ({
      contents: `const refuse = (message) => { throw message instanceof Error ? message : new TypeError(message ?? 'assertion of yargs') }
        export const strictEqual = (one, other, message) => void (Object.is(one, other) || refuse(message))
        export const notStrictEqual = (one, other, message) => void (Object.is(one, other) && refuse(message))`,
    }))
  },
}

const command = await bundleCommand({
  common: { ...COMMON, target: 'node20.19' },
  entry: 'src/cli/main.ts',
  folder: join(dist, 'bin'),
  plugins: [keepDynamicImport, carryRequired, measureLate, assertBriefly],
  withMap: process.env.COVERAGE !== undefined,
})
await refuseBeyondAscii(join(dist, 'bin', `${command}.js`))
await refuseBeyondAscii(join(dist, 'bin', `${command}.parts.js`))
await buildLauncher(command)
runNode('dist/bin/make-cache.js')
await noteBuilt(root, inputs)
console.log(`built dist: library, and dist/bin/driftgate.js with ${command}.js`)

/** The launcher reads the text as Latin-1: what is not ASCII, which templates with a tag and patterns keep as it is, would be garbled. */
async function refuseBeyondAscii(path) {
  const strange = /.{0,40}[^\0-\x7f].{0,20}/.exec(await readFile(path, 'utf8'))?.[0]
  if (strange === undefined) return
  console.error(`the bundle is not ASCII, write an escape or a value instead: ${strange}`)
  process.exit(1)
}

/** What starts the command line: readable for a Node that is too old, and what loads the bundle behind that. */
async function buildLauncher(command) {
  const launcher = { ...COMMON, define: { COMMAND: JSON.stringify(command) } }
  await build({
    ...launcher,
    entryPoints: ['src/cli/launcher/driftgate.ts'],
    target: 'es2015',
    external: ['./load.js'],
  })
  const modern = ['launcher/load.ts', 'launcher/make-cache.ts', 'launcher/one-file.ts', 'plugins/dynamic-import.ts']
  for (const file of modern) {
    await build({ ...launcher, entryPoints: [`src/cli/${file}`], target: 'node20.19' })
  }
  await writeFile(join(dist, 'bin/package.json'), '{ "type": "commonjs" }\n')
  await chmod(join(dist, 'bin/driftgate.js'), 0o755)
}

function runNode(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
