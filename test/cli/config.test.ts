import { chmodSync, chownSync, existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { beside, CONFIG, makePlace, type Place, POLICY } from '../support/config-place.ts'
import { driftgate } from '../support/command-line.ts'
import { UNPRIVILEGED } from '../support/driftgate.ts'
import { idsPlugin, writeFiles } from '../support/plugin.ts'
import { tarBytes } from '../support/tar-bytes.ts'
import { needsRoot } from '../support/temporary.ts'

const place = (files: Readonly<Record<string, string>>): Place => makePlace(driftgate, files)

test.each([
  ['the directory of policies', 'policies'],
  ['the directory with a slash', 'policies/'],
  ['a policy file', 'policies/p.yaml'],
])('a config beside the policies is used: %s', async (_case, source) => {
  const { ids, run } = place(beside('only: [major]\n'))
  expect(await ids('scan', source)).toEqual(['/nowhere/high'])
  const { stderr } = await run('scan', source, '--verbose')
  expect(stderr).toBe(`driftgate: options from policies/${CONFIG}\n`)
})

test('a config is no policy, even where a shell names it among them', async () => {
  const { run } = place(beside('only: major\n'))
  expect(await run('validate', 'policies/p.yaml', `policies/${CONFIG}`)).toMatchObject({ code: 0, stderr: '' })
  const { code, stderr } = await run('validate', `policies/${CONFIG}`)
  expect(code).toBe(1)
  expect(stderr).toContain('missing policies')
})

test('a config in the current directory is used only for the policies there', async () => {
  const { ids } = place({ [CONFIG]: 'only: [major]\n', 'p.yaml': POLICY })
  expect(await ids('scan', 'policies')).toHaveLength(2)
  expect(await ids('scan', 'p.yaml')).toHaveLength(1)
})

test('--config names a config, and --no-config passes over the one that is there', async () => {
  const { ids } = place({ ...beside('only: [major]\n'), 'ci/low.yaml': 'only: minor\n' })
  expect(await ids('scan', 'policies', '--config', 'ci/low.yaml')).toEqual(['/nowhere/low'])
  expect(await ids('scan', 'policies', '--no-config')).toHaveLength(2)
})

test.each([
  ['a text', 'fail-on: high', ['--fail-on', 'info'], { code: 2 }],
  ['a list as a whole', 'only: [minor]\nfail-on: high', ['--only', 'major'], { code: 2 }],
  ['a flag that is taken back', 'fail-on: critical\nquiet: true', ['--quiet=false'], { code: 0, long: true }],
  ['a flag that contradicts', 'fail-on: critical\nquiet: true', ['--verbose'], { code: 0, long: true }],
] as const)('flags win over a config: %s', async (_case, config, flags, expected) => {
  const { run } = place(beside(`${config}\n`))
  const { code, stdout } = await run('scan', 'policies', ...flags)
  expect(code).toBe(expected.code)
  if ('long' in expected) expect(stdout).toContain('/nowhere/high')
})

test('without the flags the config decides', async () => {
  const { run } = place(beside('fail-on: critical\nquiet: true\n'))
  const { code, stdout } = await run('scan', 'policies')
  expect(code).toBe(0)
  expect(stdout).not.toContain('/nowhere/high')
})

test('paths in a config start from its directory', async () => {
  const { directory, run } = place({
    ...beside(
      'report: [json=out/drift.json, text=-]\nout: true\nenv-file: true\ndata: [data/site.yaml]\nplugins: [./ids.mjs]\n',
    ),
    'policies/data/site.yaml': 'colour: green\n',
    'policies/.env': 'COLOUR=blue\n',
    'policies/ids.mjs': idsPlugin('ids', 'fileName: "ids.txt"'),
  })
  expect(await run('scan', 'policies')).toMatchObject({ code: 2 })
  expect(existsSync(join(directory, 'policies/out/drift.json'))).toBe(true)
  expect(readdirSync(join(directory, 'policies/reports')).toSorted()).toEqual(['drift.json', 'ids.txt', 'junit.xml'])
  const seen = await run('eval', 'Data.colour + Environ.COLOUR', '--policy', 'policies/p.yaml')
  expect(seen).toMatchObject({ code: 0, stdout: 'greenblue\n' })
})

test('a config applies to other commands where they have the option', async () => {
  const { run } = place({
    ...beside('fail-on: high\nset: colour=green\nquiet: true\nfact: [role=web]\nonly: major\n'),
    'policies/q.yaml': 'data: { colour: red }\n' + POLICY,
  })
  expect(await run('validate', 'policies')).toMatchObject({ code: 0, stdout: '', stderr: '' })
  expect(await run('data', 'policies/q.yaml')).toMatchObject({ code: 0, stdout: 'colour: green\n' })
  expect((await run('render', 'policies/q.yaml')).stdout).toContain('colour: green')
  const role = await run('facts', 'role', '--config', `policies/${CONFIG}`)
  expect(role).toMatchObject({ code: 0, stdout: '"web"\n' })
})

test('only the policy decides where a config is looked for, not what else is named', async () => {
  const { run } = place({ ...beside('quiet: true\n'), [CONFIG]: 'nonsense: true\n' })
  expect(await run('explain', 'policies/p.yaml', 'file#major')).toMatchObject({
    code: 1,
    stderr: expect.not.stringContaining('nonsense'),
  })
})

test('an option of another command that only has the name of one of a scan is not set', async () => {
  const { directory, run } = place({ 'ci.yaml': 'out: true\nquiet: true\n' })
  const isSchema = { code: 0, stdout: expect.stringMatching(/^\{/), stderr: '' }
  expect(await run('schema', '--config', 'ci.yaml')).toMatchObject(isSchema)
  const isPage = { code: 0, stdout: expect.stringMatching(/^file\b/), stderr: '' }
  expect(await run('docs', 'file', '--config', 'ci.yaml')).toMatchObject(isPage)
  expect(readdirSync(directory).toSorted()).toEqual(['ci.yaml', 'policies'])
})

test('everything that is wrong with a config is said with its place', async () => {
  const { run } = place(
    beside(`fail-no: high
fail-on: hgih
--only: [a]
plugin: [./a.mjs]
quiet: maybe
verbose: true
only: [{ a: 1 }, '']
report: ~
plugins: [./missing.mjs, web.tgz]
`),
  )
  const { code, stdout, stderr } = await run('scan', 'policies')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  const at = `policies/${CONFIG}`
  expect(stderr.split('\n').filter((line) => line.startsWith(at))).toEqual([
    `${at}:1:1 unknown option "fail-no", did you mean "fail-on"?`,
    expect.stringMatching(/:2:10 fail-on must be .*, found text "hgih", did you mean "high"\?$/),
    `${at}:3:1 unknown option "--only": options have no dashes here: write "only"`,
    `${at}:4:1 unknown option "plugin": plugins are listed under "plugins"`,
    `${at}:5:8 quiet must be true or false, found text "maybe"`,
    `${at}:7:8 only[0] must be text, found a map`,
    `${at}:7:18 only[1] must be text, found text ""`,
    `${at}:8:9 report must be text, found nothing`,
    expect.stringMatching(/:9:11 cannot load plugin \.\/missing\.mjs: no such file: \/\S+\/policies\/missing\.mjs$/),
    `${at}:9:26 cannot load plugin web.tgz: a plugin is a file on this host or an installed package`,
  ])
})

test.each([
  ['a list', '- a\n', '1:1 a config file must be a map of options, found a list'],
  ['broken YAML', 'a: [\n', 'driftgate.config.yaml:'],
  ['two documents', 'quiet: true\n---\nquiet: true\n', 'a config must be one document'],
  ['a key twice', 'quiet: true\nquiet: true\n', '2:1 key "quiet" is already set on line 1'],
  ['contradictory', 'quiet: true\nverbose: true\n', '2:1 verbose and quiet are mutually exclusive'],
])('a config that is %s is an error', async (_case, text, message) => {
  const { run } = place(beside(text))
  const { code, stdout, stderr } = await run('scan', 'policies')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain(message)
})

test.each([
  ['is too long', 'a'.repeat(300), 'the name is too long'],
  ['is missing', 'missing/p.yaml', 'no such file or directory'],
  ['is below a file', 'policies/p.yaml/p.yaml', 'a part of the path is not a directory'],
  ['is a loop', 'loop/p.yaml', 'too many symbolic links'],
])('a policy whose path %s is told by itself, not by the config beside it', async (_case, policy, message) => {
  const { directory, run } = place({})
  symlinkSync('loop', join(directory, 'loop'))
  const { code, stderr } = await run('validate', policy)
  expect({ code, stderr }).toEqual({ code: 1, stderr: `${policy}: cannot be read: ${message}\n1 error\n` })
})

test('a config that says nothing is fine', async () => {
  const { run } = place(beside('# fail-on: high\n\n  # quiet: true\n'))
  expect(await run('scan', 'policies')).toMatchObject({ code: 2, stderr: '' })
})

test.each([
  [['--config', 'missing.yaml'], 'cannot read the config missing.yaml: no such file'],
  [['--config', 'policies'], 'cannot read the config policies: it is a directory'],
  [['--config', 'a', '--config', 'b'], 'option --config is given more than once'],
  [['--config', 'a', '--no-config'], '--config and --no-config are mutually exclusive'],
])('%j is an error', async (flags, message) => {
  const { run } = place({})
  const { code, stderr } = await run('scan', 'policies', ...flags)
  expect(code).toBe(1)
  expect(stderr).toContain(`driftgate: ${message}\n`)
})

test('different configs beside the policies are an error, one that several paths lead to is not', async () => {
  const { directory, run } = place({ ...beside('quiet: true\n'), 'other/q.yaml': POLICY })
  expect(await run('scan', 'policies', 'policies/p.yaml', 'other')).toMatchObject({ code: 2, stderr: '' })
  symlinkSync(join(directory, `policies/${CONFIG}`), join(directory, `other/${CONFIG}`))
  expect(await run('scan', 'policies', 'other')).toMatchObject({ code: 2, stderr: '' })
  writeFiles(directory, { [`third/${CONFIG}`]: '', 'third/p.yaml': POLICY })
  const { code, stderr } = await run('scan', 'policies', 'third')
  expect(code).toBe(1)
  expect(stderr).toContain(`policies/${CONFIG} and third/${CONFIG}: select one with --config, or none with --no-config`)
  expect(await run('scan', 'policies', 'third', '--no-config')).toMatchObject({ code: 2 })
})

const LOUD = { 'policies/loud.mjs': "import { writeFileSync } from 'node:fs'\nwriteFileSync('ran', '')\n" }
const loads = { ...beside('plugins: [./loud.mjs]\n'), ...LOUD }

test.each([
  [
    'the config is writable by its group',
    (at: string) => chmodSync(join(at, CONFIG), 0o664),
    'other users can write to /',
  ],
  ['the config is writable by all', (at: string) => chmodSync(join(at, CONFIG), 0o646), '(mode 0646)'],
  [
    'the directory is writable by all',
    (at: string) => chmodSync(at, 0o777),
    'other users can write to its directory /',
  ],
  ['the directory is sticky', (at: string) => chmodSync(at, 0o1777), '(mode 1777)'],
  ['a plugin is writable by all', (at: string) => chmodSync(join(at, 'loud.mjs'), 0o666), 'refusing to load plugin /'],
])('a config beside the policies is refused where others could change what it does: %s', async (_case, open, words) => {
  const { directory, run } = place(loads)
  open(join(directory, 'policies'))
  for (const command of ['scan', 'validate']) {
    const { code, stdout, stderr } = await run(command, 'policies')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(words)
  }
  expect(existsSync(join(directory, 'ran'))).toBe(false)
  // The operator may trust it all the same, or do without it.
  await run('validate', 'policies', '--config', `policies/${CONFIG}`)
  expect(existsSync(join(directory, 'ran'))).toBe(true)
  expect(await run('validate', 'policies', '--no-config')).toMatchObject({ code: 0 })
})

test.skipIf(needsRoot).each([
  ['the config', CONFIG],
  ['its directory', '.'],
  ['a plugin', 'loud.mjs'],
])('a config beside the policies is refused if %s belongs to another user', async (_case, name) => {
  const { directory, run } = place(loads)
  chownSync(join(directory, 'policies', name), UNPRIVILEGED ?? 0, UNPRIVILEGED ?? 0)
  const { code, stderr } = await run('scan', 'policies')
  expect(code).toBe(1)
  expect(stderr).toContain(`belongs to another user (${UNPRIVILEGED})`)
  expect(existsSync(join(directory, 'ran'))).toBe(false)
})

test('of a link both ends must be safe', async () => {
  const { directory, run } = place({ ...LOUD, [`open/${CONFIG}`]: 'plugins: [../policies/loud.mjs]\n' })
  symlinkSync(join(directory, `open/${CONFIG}`), join(directory, `policies/${CONFIG}`))
  chmodSync(join(directory, 'open'), 0o777)
  const { code, stderr } = await run('scan', 'policies')
  expect(code).toBe(1)
  expect(stderr).toContain(`refusing policies/${CONFIG}: other users can write to its directory ${directory}/open`)
  expect(existsSync(join(directory, 'ran'))).toBe(false)
})

test('bundles and standard input have no config, neither in them nor beside them', async () => {
  const config = 'plugins: [./loud.mjs]\n'
  const { directory, run } = place({ [CONFIG]: config, 'loud.mjs': LOUD['policies/loud.mjs'] })
  const bundle = tarBytes([
    { name: 'policy.yaml', content: POLICY },
    { name: CONFIG, content: config },
    { name: 'loud.mjs', content: LOUD['policies/loud.mjs'] },
  ])
  writeFileSync(join(directory, 'web.tar'), bundle)
  expect(await run('scan', 'web.tar')).toMatchObject({ code: 2 })
  expect(await driftgate(['scan', '-'], { cwd: directory, stdin: { text: POLICY } })).toMatchObject({ code: 2 })
  expect(existsSync(join(directory, 'ran'))).toBe(false)
})

test('a policy cannot load code', async () => {
  const { directory, run } = place({
    ...LOUD,
    'policies/p.yaml': `plugins: [./loud.mjs]\n${POLICY}`,
  })
  const { code, stderr } = await run('scan', 'policies')
  expect(code).toBe(1)
  expect(stderr).toContain('policies/p.yaml:1:1 unknown key "plugins"')
  expect(existsSync(join(directory, 'ran'))).toBe(false)
})

test('a config is a text of a few options', async () => {
  const { directory, run } = place({})
  writeFileSync(join(directory, 'latin.yaml'), Buffer.from([0x23, 0x20, 0xe9, 0x0a]))
  const latin = await run('scan', 'policies', '--config', 'latin.yaml')
  expect(latin.code).toBe(1)
  expect(latin.stderr).toContain('latin.yaml:1:3 not valid UTF-8')
  writeFileSync(join(directory, 'large.yaml'), `# ${'x'.repeat(1024 * 1024)}\n`)
  const { code, stderr } = await run('scan', 'policies', '--config', 'large.yaml')
  expect(code).toBe(1)
  expect(stderr).toContain('it is larger than 1048576 bytes')
})
