// Divides the command line: the hot part is what nearly every scan runs, in one scope; the cold ones are all that is loaded later,
// divided by what is loaded together. What a cold part needs of the hot one it asks for by the name of the module.
import { basename, relative } from 'node:path'
import { build } from 'esbuild'

/** Modules of the hot part that are imported late. A package of CommonJS that the hot part imports late is among them. */
const HOT = new Set([
  'node_modules/yauzl/index.js',
  'src/cli/commands/scan/run.ts',
  'src/host/root/open-root.ts',
  'src/policy/catalogue/compose.ts',
  'src/policy/expand/evaluation.ts',
  'src/report/formats/text/render.ts',
  'src/subjects/files/file/index.ts',
])

/** Name and text of each part, as modules; the hot one first. */
export async function bundleParts({ common, entry, plugins }) {
  const root = common.absWorkingDir
  const options = {
    ...common,
    format: 'esm',
    write: false,
    metafile: true,
    minifyWhitespace: true,
    minifySyntax: true,
    define: { 'import.meta.url': '$fileUrl' },
    // Parts are named by their hashes, and so the text is the same with or without the map.
    sourcemap: 'inline',
  }
  const late = new Map()
  const { metafile } = await build({
    ...options,
    entryPoints: [entry],
    plugins: [...plugins, importColdLate(root, {}, late)],
  })
  const hot = metafile.inputs
  const entries = [...late].filter(([id]) => hot[id] === undefined).toSorted(([a], [b]) => compareText(a, b))
  const needed = new Set()
  const cold = await build({
    ...options,
    entryPoints: Object.fromEntries(entries.map(([id, name]) => [name, id])),
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    splitting: true,
    plugins: [...plugins, askForHot(root, hot, needed)],
  })
  for (const [id] of entries) {
    if (cold.metafile.inputs[id]?.format === 'cjs') throw new Error(`${id} is CommonJS: add it to HOT`)
  }
  const { outputFiles } = await build({
    ...options,
    stdin: { contents: hotEntry(entry, needed), resolveDir: root },
    plugins: [...plugins, importColdLate(root, hot, new Map())],
  })
  const parts = cold.outputFiles.map(({ path, text }) => [`./${basename(path)}`, text])
  return [['./command.js', outputFiles[0].text], ...parts]
}

/** The command line, and the modules that cold parts ask for. */
function hotEntry(entry, needed) {
  const given = [...needed]
    .toSorted(compareText)
    .map((id) => `$hot['$hot:${id}']=(e,r,m)=>{m.exports=require('./${id}')};`)
  return `export * from './${entry}';${given.join('')}`
}

function compareText(left, right) {
  return left < right ? -1 : 1
}

/** Leaves what is imported late out of the hot part, and collects it with the names of its parts. */
function importColdLate(root, hot, entries) {
  return resolving('import-cold-late', root, ({ kind }, id) => {
    if (kind !== 'dynamic-import' || HOT.has(id) || hot[id] !== undefined) return undefined
    const name = id.replaceAll('/', '-')
    entries.set(id, name)
    return { path: `./${name}.js`, external: true }
  })
}

/** Leaves the modules of the hot part out of the cold ones. */
function askForHot(root, hot, needed) {
  const plugin = resolving('ask-for-hot', root, (_, id) => {
    if (hot[id] === undefined) return undefined
    needed.add(id)
    const path = `$hot:${id}`
    return hot[id].format === 'esm' ? { path, external: true } : { path, namespace: 'hot' }
  })
  return {
    ...plugin,
    setup(bundle) {
      bundle.onResolve({ filter: /^\$hot:/ }, ({ path }) => ({ path, external: true }))
      bundle.onLoad({ filter: /.*/, namespace: 'hot' }, ({ path }) => ({
        contents: `module.exports=require('${path}')`,
      }))
      plugin.setup(bundle)
    },
  }
}

/** Resolves imports of files by `resolve`, which gets their paths below the root. */
function resolving(name, root, resolve) {
  const resolved = Symbol(name)
  return {
    name,
    setup(bundle) {
      bundle.onResolve({ filter: /.*/ }, async (args) => {
        const { path, kind, importer, resolveDir, pluginData } = args
        if (kind === 'entry-point' || pluginData === resolved) return undefined
        const found = await bundle.resolve(path, { kind, importer, resolveDir, pluginData: resolved })
        return found.external || found.namespace !== 'file' ? undefined : resolve(args, relative(root, found.path))
      })
    },
  }
}
