// The command line: the small launcher, and the two files behind it that hold everything else.
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import process from 'node:process'
import { build } from 'esbuild'
import { bundleCommand } from './bundle.mjs'

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

/**
 * Builds the command line of the project at `root` in `folder` and returns the name of its first file without the suffix.
 * `change` may replace the text of a source, whose path it gets; `prelude` is run before the sources.
 */
export async function buildCommand({ root, folder, withMap = false, change = (_, text) => text, prelude = '' }) {
  const common = {
    absWorkingDir: root,
    outdir: folder,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    legalComments: 'none',
    logLevel: 'warning',
  }
  const command = await bundleCommand({
    common: { ...common, target: 'node20.19', banner: { js: prelude } },
    entry: 'src/cli/main.ts',
    folder,
    plugins: [keepDynamicImport, changeSources(root, change), measureLate, assertBriefly],
    withMap,
  })
  await refuseBeyondAscii(join(folder, `${command}.js`))
  await refuseBeyondAscii(join(folder, `${command}.parts.js`))
  await buildLauncher({ ...common, define: { COMMAND: JSON.stringify(command) } }, folder)
  return command
}

/** A package that is required only when a value asks for it is carried: the one file has no node_modules beside it. */
function changeSources(root, change) {
  return {
    name: 'change-sources',
    setup(bundle) {
      const required = /createRequire\(import\.meta\.url\)\((?='[^'.])/g
      bundle.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8')
        const contents = change(relative(root, path), text).replaceAll(required, 'require(')
        return contents === text ? undefined : { contents, loader: 'ts' }
      })
    },
  }
}

/** The launcher reads the text as Latin-1: what is not ASCII, which templates with a tag and patterns keep as it is, would be garbled. */
async function refuseBeyondAscii(path) {
  const strange = /.{0,40}[^\0-\x7f].{0,20}/.exec(await readFile(path, 'utf8'))?.[0]
  if (strange === undefined) return
  console.error(`the bundle is not ASCII, write an escape or a value instead: ${strange}`)
  process.exit(1)
}

/** What starts the command line: readable for a Node that is too old, and what loads the bundle behind that. */
async function buildLauncher(launcher, folder) {
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
  await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }\n')
  await chmod(join(folder, 'driftgate.js'), 0o755)
}
