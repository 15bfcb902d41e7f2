// The command line as two files, because few files load faster than many. What most scans run is one part in a file of its own, whose
// modules share a scope: between parts every name costs a getter. V8 prepares every function of a scope when the scope is entered,
// and keeps what it has compiled of it; so all that is loaded later is in parts of the second file, divided by what is loaded together.
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { bundleParts } from './parts.mjs'

// The launcher gives each text to V8 as the function that a CommonJS module is, and joins nothing when driftgate starts.
// Such a file has no `import.meta.url`. This is one in dist, where `driftgate` is the package itself; dist/bin has a
// package.json of its own, so that a Node that is too old takes what is in it for CommonJS.
const START = `(function (exports, require, module, __filename, __dirname) {'use strict';
const $fileUrl = require('node:url').pathToFileURL(require('node:path').dirname(__dirname) + '/command.js').href;
`

/** Modules of Node that most scans never use, although what they run imports them: loaded when the first name is asked for. */
const LATE = ['node:child_process', 'node:net', 'node:stream/consumers', 'node:timers/promises', 'node:zlib']

const RUN = `const $loaded = new Map();
let $parts;
const $late = new Set(${JSON.stringify(LATE)});
const $require = (name) => {
const known = $loaded.get(name);
if (known !== undefined) return known.exports;
let part = $hot[name];
if (part === undefined && name.startsWith('./') && name !== './dynamic-import.js') part = ($parts ??= require('./parts.js'))[name];
if (part === undefined) return $late.has(name) ? new Proxy({}, { get: (_, key) => require(name)[key] }) : require(name);
const module = { exports: {} };
$loaded.set(name, module);
part(module.exports, $require, module);
return module.exports;
};
module.exports = $require('./command.js');
`

/**
 * Writes `command-HASH.js`, which nearly every scan runs, and `command-HASH.parts.js` beside it, an object of functions, and gives
 * the name of the first without its suffix: compiled code that is kept beside them fits these texts alone. With `withMap` a source
 * map lies beside each; the texts are the same.
 */
export async function bundleCommand({ common, entry, folder, plugins, withMap }) {
  const [hot, ...cold] = await bundleParts({ common, entry, plugins })
  const command = await bundleOf('const $hot', [hot], RUN)
  const parts = await bundleOf('module.exports', cold)
  const hash = createHash('sha256').update(command.text).update(parts.text)
  const name = `command-${hash.digest('hex').slice(0, 8)}`
  await mkdir(folder, { recursive: true })
  for (const [file, { text, sections }] of Object.entries({ [`${name}.js`]: command, [`${name}.parts.js`]: parts })) {
    await writeFile(join(folder, file), text)
    if (withMap) await writeFile(join(folder, `${file}.map`), JSON.stringify({ version: 3, sections }))
  }
  return name
}

/** The parts as functions of an object, with the maps of the places where they stand, and what is run behind it. */
async function bundleOf(object, parts, run = '') {
  let text = `${START}${object} = {\n`
  const sections = []
  for (const [name, modules] of parts) {
    const { code, map } = await asCommonJs(modules)
    text += `${JSON.stringify(name)}:function(exports,require,module){\n`
    sections.push({ offset: { line: text.split('\n').length - 1, column: 0 }, map: JSON.parse(map) })
    text += `${code}},\n`
  }
  return { text: `${text}};\n${run}})`, sections }
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
