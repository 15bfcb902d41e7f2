// The command line as one file, because one file loads faster than many. What most scans run is one part, whose modules share a
// scope: between parts every name costs a getter. V8 prepares every function of a scope when the scope is entered, and keeps what
// it has compiled of it; so all that is loaded later is in parts of its own, divided by what is loaded together.
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { bundleParts } from './parts.mjs'

// The launcher gives the text to V8 as the function that a CommonJS module is, and joins nothing when driftgate starts.
// Such a file has no `import.meta.url`. This is one in dist, where `driftgate` is the package itself; dist/bin has a
// package.json of its own, so that a Node that is too old takes what is in it for CommonJS.
const START = `(function (exports, require, module, __filename, __dirname) {'use strict';
const $fileUrl = require('node:url').pathToFileURL(require('node:path').dirname(__dirname) + '/command.js').href;
const $loaded = new Map();
const $hot = {};
const $require = (name) => {
const known = $loaded.get(name);
if (known !== undefined) return known.exports;
const part = $parts[name] ?? $hot[name];
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
  let text = START
  const sections = []
  for (const [name, modules] of await bundleParts({ common, entry, plugins })) {
    const { code, map } = await asCommonJs(modules)
    text += `${JSON.stringify(name)}:function(exports,require,module){\n`
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
