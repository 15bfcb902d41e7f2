import { test } from 'vitest'
import { driftgate } from '../support/command-line.ts'
import { expectRefused, idsPlugin } from '../support/plugin.ts'

const NOT_OURS = 'export const plugin = { apiVersion: 2, types: [{ type: "a" }] }'
const empty = (members: string): string => `export const plugin = { ${members} }`

test.each([
  ['is missing', ['./missing.js'], {}, /cannot load plugin \.\/missing\.js: no such file: \/\S+\/missing\.js$/],
  ['is a directory', ['./d'], { 'd/a.js': '' }, /cannot load plugin \.\/d: it is a directory/],
  ['is no package', ['acme'], {}, /no such package in node_modules of \/\S+ or its parent directories$/],
  ['forgets ./', ['acme.ts'], { 'acme.ts': '' }, /to load the file of that name, write \.\/acme\.ts$/],
  ['is an address', ['https://example.com/a.js'], {}, /a plugin is a file on this host or an installed package$/],
  ['is a bundle', ['./web.tgz'], { 'web.tgz': '' }, /a plugin is a file on this host or an installed package$/],
  ['throws a text', ['./p.mjs'], { 'p.mjs': 'throw "no"' }, /it throws no$/],
  ['exports nothing', ['./p.mjs'], { 'p.mjs': '' }, /plugin \.\/p\.mjs: it exports nothing, but no "plugin"/],
  ['exports another name', ['./p.mjs'], { 'p.mjs': 'export default 1' }, /it exports only default, but no "plugin"/],
  ['exports no object', ['./p.mjs'], { 'p.mjs': 'export const plugin = 1' }, /its export `plugin` is not an object$/],
  ['says no version', ['./p.mjs'], { 'p.mjs': empty('types: []') }, /it has no apiVersion; this driftgate has 2$/],
  [
    'is for another version',
    ['./p.mjs'],
    { 'p.mjs': empty('apiVersion: 3') },
    /it is written for version 3 of the plugin API; this driftgate has 2$/,
  ],
  ['misspells a member', ['./p.mjs'], { 'p.mjs': empty('apiVersion: 2, typs: []') }, /did you mean "types"\?$/],
  ['has no list', ['./p.mjs'], { 'p.mjs': empty('apiVersion: 2, types: {}') }, /its `types` are not a list$/],
  ['made a type by hand', ['./p.mjs'], { 'p.mjs': NOT_OURS }, /types\[0\] was not made by defineResource$/],
  [
    'repeats a report format',
    ['./p.mjs'],
    { 'p.mjs': idsPlugin('json') },
    /the report format "json" is already taken by driftgate itself$/,
  ],
  [
    'repeats a report file',
    ['./p.mjs'],
    { 'p.mjs': idsPlugin('ids', 'fileName: "drift.json"') },
    /the report file "drift\.json" is already taken by driftgate itself$/,
  ],
  ['has a bad format name', ['./p.mjs'], { 'p.mjs': idsPlugin('a=b') }, /"a=b" cannot be the name of a report format/],
  [
    'writes a report elsewhere',
    ['./p.mjs'],
    { 'p.mjs': idsPlugin('ids', 'fileName: "../ids.txt"') },
    /"\.\.\/ids\.txt" cannot be the name of a report file/,
  ],
  [
    'has a format that cannot render',
    ['./p.mjs'],
    { 'p.mjs': idsPlugin('ids', 'render: 1') },
    /reportFormats\[0\] is not a report format: it needs a name, a summary and a render function$/,
  ],
] as const)('a plugin that %s is one message and exit 1', async (_case, plugins, files, message) => {
  await expectRefused(driftgate, plugins, files, message)
})
