// The command line as one file, because one file loads faster than many. V8 prepares every function of a scope when the
// scope is entered, and keeps what it has compiled of it; so modules that are loaded at different times are in scopes of their own.
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { build, transform } from 'esbuild'

// The launcher gives the text to V8 as the function that a CommonJS module is, and joins nothing when driftgate starts.
// Such a file has no `import.meta.url`. This is one in dist, where `driftgate` is the package itself; dist/bin has a
// package.json of its own, so that a Node that is too old takes what is in it for CommonJS.
const START = `(function (exports, require, module, __filename, __dirname) {'use strict';
const $fileUrl = require('node:url').pathToFileURL(require('node:path').dirname(__dirname) + '/command.js').href;
const $loaded = new Map();
const $require = (name) => {
const known = $loaded.get(name);
if (known !== undefined) return known.exports;
const part = $parts[name];
if (part === undefined) return require(name);
const module = { exports: {} };
$loaded.set(name, module);
part(module.exports, $require, module);
return module.exports;
};
const $parts = {
`

/**
 * Writes `command-HASH.js` into the folder and gives its name: compiled code that is kept beside it fits this text alone.
 * With `withMap` a source map lies beside it; the text is the same.
 */
export async function bundleCommand({ common, entry, folder, plugins, withMap }) {
  const { outputFiles } = await build({
    ...common,
    entryPoints: { command: entry },
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    format: 'esm',
    splitting: true,
    write: false,
    minifyWhitespace: true,
    minifySyntax: true,
    define: { 'import.meta.url': '$fileUrl' },
    plugins,
    // Parts are named by their hashes, and so the text is the same with or without the map.
    sourcemap: 'inline',
  })
  let text = START
  const sections = []
  for (const { path, text: modules } of outputFiles) {
    const { code, map } = await asCommonJs(modules)
    text += `${JSON.stringify(`./${basename(path)}`)}:function(exports,require,module){\n`
    sections.push({ offset: { line: text.split('\n').length - 1, column: 0 }, map: JSON.parse(map) })
    text += `${code}},\n`
  }
  text += `};\nmodule.exports = $require('./command.js');\n})`
  const name = `command-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.js`
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, name), text)
  if (withMap) await writeFile(join(folder, `${name}.map`), JSON.stringify({ version: 3, sections }))
  return name
}

/** Code that V8 takes from a cache cannot import modules, so what is imported late is required late. */
function asCommonJs(modules) {
  return transform(modules, {
    format: 'cjs',
    target: 'node20.19',
    platform: 'node',
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    supported: { 'dynamic-import': false },
    sourcemap: 'external',
  })
}
