import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driftgate, type Outcome, temporaryDirectory } from '../support/driftgate.ts'
import { expectRefused, idsPlugin, markerPlugin, markerPolicy, writeFiles } from '../support/plugin.ts'

interface Place {
  readonly directory: string
  readonly run: (...args: readonly string[]) => Promise<Outcome>
}

/** A directory with a policy \`p.yaml\` of one marker that is missing, and these files. */
function place(files: Readonly<Record<string, string>>): Place {
  const directory = temporaryDirectory()
  writeFiles(directory, { 'p.yaml': markerPolicy(`${directory}/marker: {}`), ...files })
  return { directory, run: (...args) => driftgate(args, { cwd: directory }) }
}

test('a type of a plugin is audited, fixed and audited again', async () => {
  const { directory, run } = place({ 'marker.js': markerPlugin() })
  const audit = await run('scan', 'p.yaml', '--plugin', './marker.js')
  expect(audit).toMatchObject({ code: 2, stderr: '' })
  expect(audit.stdout).toContain('Would have created the marker')
  expect(existsSync(join(directory, 'marker'))).toBe(false)
  expect(await run('scan', 'p.yaml', '--plugin', './marker.js', '--fix')).toMatchObject({ code: 0, stderr: '' })
  expect(readFileSync(join(directory, 'marker'), 'utf8')).toBe('')
  expect(await run('scan', 'p.yaml', '--plugin', './marker.js')).toMatchObject({ code: 0, stderr: '' })
})

test('without its plugin a type is unknown', async () => {
  const { run } = place({ 'marker.js': markerPlugin() })
  const { code, stderr } = await run('validate', 'p.yaml')
  expect(code).toBe(1)
  expect(stderr).toContain('p.yaml:3:7 unknown resource type "demo.marker"')
})

test('a type of a plugin is read as strictly as those that ship', async () => {
  const { directory, run } = place({ 'marker.js': markerPlugin() })
  writeFiles(directory, {
    'bad.yaml': `ccm:
  resources:
    - demo.marker:
        - /a:
            colur: red
        - b:
            colour: gren
    - demo.markr: []
    - file:
        - /c:
            modus: '0644'
`,
  })
  const { code, stderr } = await run('validate', 'bad.yaml', '--plugin', './marker.js')
  expect(code).toBe(1)
  expect(stderr.split('\n').filter((line) => line.startsWith('bad.yaml'))).toEqual([
    'bad.yaml:5:13 unknown property "colur" of type demo.marker, did you mean "colour"?',
    expect.stringContaining('bad.yaml:6:11 '),
    'bad.yaml:7:21 invalid colour value "gren": must be one of "red" or "green", did you mean "green"?',
    'bad.yaml:8:7 unknown resource type "demo.markr", did you mean "demo.marker"?',
    'bad.yaml:10:11 ensure is required',
    'bad.yaml:11:13 unknown property "modus" of type file',
  ])
})

test('no name of a type gets into the way of another in the schema', async () => {
  const { directory, run } = place({ 'marker.js': markerPlugin('file.body') })
  const resources = `    - file.body: [{ ${directory}/marker: { colour: red } }]\n    - file: [{ /c: { colour: red } }]\n`
  writeFiles(directory, { 'p.yaml': `ccm:\n  resources:\n${resources}` })
  const { stderr } = await run('validate', 'p.yaml', '--plugin', './marker.js')
  expect(stderr).not.toContain('p.yaml:3')
  expect(stderr).toContain('p.yaml:4:22 unknown property "colour" of type file')
})

test('every command that reads policies knows the types of plugins', async () => {
  const { directory, run } = place({ 'marker.js': markerPlugin() })
  const plugin = ['--plugin', './marker.js']
  expect(await run('validate', 'p.yaml', ...plugin)).toMatchObject({ code: 0, stderr: '' })
  const { stdout: rendered } = await run('render', 'p.yaml', ...plugin)
  writeFiles(directory, { 'rendered.yaml': rendered })
  expect(await run('scan', 'rendered.yaml', ...plugin)).toMatchObject({ code: 2, stderr: '' })
  expect(await run('data', 'p.yaml', ...plugin)).toMatchObject({ code: 0, stderr: '' })
  expect(await run('eval', '1 + 1', '--policy', 'p.yaml', ...plugin)).toMatchObject({ code: 0, stdout: '2\n' })
  const { stdout } = await run('types', '--json', ...plugin)
  expect(JSON.parse(stdout)).toContainEqual(
    expect.objectContaining({ type: 'demo.marker', providers: [{ name: 'posix' }] }),
  )
})

test('child manifests use the types of plugins', async () => {
  const { directory, run } = place({ 'marker.js': markerPlugin() })
  writeFiles(directory, { 'parent.yaml': 'ccm:\n  resources:\n    - apply:\n        - p.yaml: {}\n' })
  const { code, stdout } = await run('scan', 'parent.yaml', '--plugin', './marker.js')
  expect(code).toBe(2)
  expect(stdout).toContain('demo.marker#')
})

test.each([
  ['its exports as a text', { exports: './lib/index.js' }],
  ['conditions', { exports: { '.': { types: './no.d.ts', require: './no.cjs', import: './lib/index.js' } } }],
  ['its main', { main: 'lib/index.js' }],
])('a package is found by its name: %s', async (_case, manifest) => {
  const { run } = place({
    'node_modules/@acme/marker/package.json': JSON.stringify({ name: '@acme/marker', type: 'module', ...manifest }),
    'node_modules/@acme/marker/lib/index.js': markerPlugin(),
  })
  expect(await run('validate', 'p.yaml', '--plugin', '@acme/marker')).toMatchObject({ code: 0, stderr: '' })
})

test('a module of a package is found by its subpath', async () => {
  const manifest = { name: 'acme', type: 'module', exports: { '.': './no.js', './marker': './lib/marker.js' } }
  const { run } = place({
    'node_modules/acme/package.json': JSON.stringify(manifest),
    'node_modules/acme/lib/marker.js': markerPlugin(),
  })
  expect(await run('validate', 'p.yaml', '--plugin', 'acme/marker')).toMatchObject({ code: 0, stderr: '' })
  const { code, stderr } = await run('validate', 'p.yaml', '--plugin', 'acme/other')
  expect(code).toBe(1)
  expect(stderr).toContain('exports no such module')
})

test('a plugin that is named twice is loaded once', async () => {
  const { directory, run } = place({ 'marker.js': markerPlugin() })
  symlinkSync(join(directory, 'marker.js'), join(directory, 'again.js'))
  const named = ['--plugin', './marker.js', '--plugin', join(directory, 'marker.js'), '--plugin', './again.js']
  expect(await run('validate', 'p.yaml', ...named)).toMatchObject({ code: 0, stderr: '' })
})

// The engine of the process says what is wrong with a module, and gives it what it imports of driftgate.
test.each([
  [
    'has a syntax error',
    ['./p.js'],
    { 'p.js': 'const a = 1\nconst b = 1 2\n' },
    /cannot load plugin \.\/p\.js: Unexpected number \(\/\S+\/p\.js:2\)$/,
  ],
  [
    'imports a syntax error',
    ['./p.mjs'],
    { 'p.mjs': 'import "./q.mjs"', 'q.mjs': '}' },
    /Unexpected token '}' \(in a module it imports\)$/,
  ],
  [
    'imports what is not exported',
    ['./p.mjs'],
    { 'p.mjs': '\nimport { nothing } from "node:fs"' },
    /does not provide an export named 'nothing' \(\/\S+\/p\.mjs:2\)$/,
  ],
  [
    'imports a missing package',
    ['./p.mjs'],
    { 'p.mjs': 'import "driftgate-nothing"' },
    /cannot load plugin \.\/p\.mjs: Cannot find package 'driftgate-nothing' imported from \/\S+\/p\.mjs$/,
  ],
  [
    'throws',
    ['./p.mjs'],
    { 'p.mjs': '\n\nnull.a' },
    /cannot load plugin \.\/p\.mjs: it throws TypeError: Cannot read properties of null \S+ 'a'\) \(\/\S+\/p\.mjs:3\)$/,
  ],
  [
    'has a bad type name',
    ['./p.mjs'],
    { 'p.mjs': markerPlugin('Demo Marker') },
    /it throws Error: resource type "Demo Marker" cannot be defined: its name must be words .* \(\/\S+\/p\.mjs:\d+\)$/,
  ],
  [
    'takes the name of a type that ships',
    ['./p.mjs'],
    { 'p.mjs': markerPlugin('file') },
    /"file" cannot be the name of a type: it must be two or more words .*, separated by dots, such as "file\.owner"$/,
  ],
  [
    'repeats a type of another plugin',
    ['./p.mjs', './q.mjs'],
    { 'p.mjs': markerPlugin(), 'q.mjs': markerPlugin() },
    /plugin \.\/q\.mjs: the type "demo\.marker" is already taken by plugin \.\/p\.mjs$/,
  ],
  [
    'waits forever',
    ['./p.mjs'],
    { 'p.mjs': 'await new Promise(() => {})' },
    /it returned a promise that never settles$/,
  ],
] as const)('a plugin that %s is one message and exit 1', async (_case, plugins, files, message) => {
  await expectRefused(driftgate, plugins, files, message)
})

test('a report format of a plugin writes to standard output, to a file and with --out', async () => {
  const { directory, run } = place({
    'marker.js': markerPlugin(),
    'ids.mjs': idsPlugin('ids', 'fileName: "ids.txt"'),
  })
  const plugins = ['--plugin', './marker.js', '--plugin', './ids.mjs']
  const ids = `demo.marker#${directory}/marker\n`
  expect(await run('scan', 'p.yaml', ...plugins, '--report', 'ids')).toMatchObject({ code: 2, stdout: ids, stderr: '' })
  await run('scan', 'p.yaml', ...plugins, '--report', 'ids=there.txt', '--out')
  expect(readFileSync(join(directory, 'there.txt'), 'utf8')).toBe(ids)
  expect(readdirSync(join(directory, 'reports')).toSorted()).toEqual(['drift.json', 'ids.txt', 'junit.xml'])
  const { code, stderr } = await run('scan', 'p.yaml', ...plugins, '--report', 'idz')
  expect(code).toBe(1)
  expect(stderr).toContain('did you mean "ids"?')
})

test.each([
  ['throws', '{ throw new RangeError("no room") }', 'the format threw RangeError: no room'],
  ['gives no text', '=> 42', 'the format returned no text'],
])('a report format that %s costs no other report', async (_case, body, message) => {
  const render = body.startsWith('=>') ? `render: () ${body}` : `render() ${body}`
  const { directory, run } = place({ 'marker.js': markerPlugin(), 'bad.mjs': idsPlugin('bad', render) })
  const reports = ['--report', 'bad=bad.txt', '--report', 'json=drift.json']
  const plugins = ['--plugin', './marker.js', '--plugin', './bad.mjs']
  const { code, stdout, stderr } = await run('scan', 'p.yaml', ...plugins, ...reports)
  expect(code).toBe(1)
  expect(stderr).toBe(`driftgate: cannot render the report bad: ${message}\ndriftgate: wrote drift.json\n`)
  expect(stdout).toContain('1 drifted')
  expect(JSON.parse(readFileSync(join(directory, 'drift.json'), 'utf8'))).toMatchObject({ exit: { code: 2 } })
  expect(readdirSync(directory).filter((name) => name.startsWith('.') || name === 'bad.txt')).toEqual([])
})
