import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { blocksOf } from '../docs/document.ts'
import { driftgate } from '../support/command-line.ts'
import { resourceTypes } from '../support/resource-types.ts'
import { start, temporaryDirectory } from '../support/driftgate.ts'

const PROJECT = new URL('../..', import.meta.url).pathname

const run = (...args: readonly string[]): ReturnType<typeof driftgate> => driftgate(args, { cwd: temporaryDirectory() })

test('docs explains one type', async () => {
  const { code, stdout, stderr } = await run('docs', 'service')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^service\n {2}Services: /)
  expect(stdout).toContain('  ensure  running | stopped\n')
  expect(stdout).toMatch(/^Providers\n {2}systemd$/m)
  expect(stdout).toMatch(/^ {2}subscribe {2}list of text$/m)
  expect(stdout).not.toContain('\u001b')
})

test('docs explains all types, and what they share once', async () => {
  const { stdout } = await run('docs', '--format', 'markdown')
  const types: readonly { type: string }[] = JSON.parse((await run('types', '--json')).stdout)
  expect([...stdout.matchAll(/^# (.*)$/gm)].map(([, title]) => title)).toEqual([
    ...types.map(({ type }) => type),
    'Properties of every resource',
  ])
})

test('docs takes colours where they are wanted', async () => {
  const { stdout } = await driftgate(['docs', 'file'], { cwd: temporaryDirectory(), env: { FORCE_COLOR: '1' } })
  expect(stdout).toContain('\u001b[1mfile\u001b[22m\n')
})

test.each([
  [['docs', 'servise'], 'unknown resource type "servise", did you mean "service"? (file, '],
  [['docs', 'file', 'exec'], 'unexpected argument "exec"'],
  [['docs', '--format', 'html'], '--format cannot be "html"'],
  [['schema', 'file'], 'takes no argument'],
])('wrong usage %j is exit 1 with the way out on standard error', async (args, message) => {
  const { code, stdout, stderr } = await run(...args)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain(message)
  expect(stderr).toContain('--help" for usage')
})

test('docs --out writes the pages that this project publishes', async () => {
  const cwd = temporaryDirectory()
  const { code, stdout, stderr } = await driftgate(['docs', '--out', 'site/pages'], { cwd })
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  const pagesIn = (directory: string): Map<string, string> =>
    new Map(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'utf8')]))
  const written = pagesIn(join(cwd, 'site/pages'))
  // Of the catalogue, not of a type.
  const published = pagesIn(join(PROJECT, 'docs/reference'))
  published.delete('severities-of-controls.md')
  expect(written).toEqual(published)
  expect(stderr.split('\n').filter((line) => line !== '')).toEqual(
    expect.arrayContaining([...written.keys()].map((name) => `driftgate: wrote site/pages/${name}`)),
  )
})

test('docs --out of one type writes its page and an index of it', async () => {
  const cwd = temporaryDirectory()
  await driftgate(['docs', 'file', '--out'], { cwd })
  expect(readdirSync(join(cwd, 'reference')).toSorted()).toEqual(['README.md', 'file.md'])
})

test.each([
  [['docs', '--out', '/dev/null/pages'], 'cannot write the page /dev/null/pages/README.md'],
  [['schema', '--out', '/dev/null/schema'], 'cannot write the schema /dev/null/schema'],
])('%j that cannot be written is exit 1 with the reason', async (args, message) => {
  const { code, stdout, stderr } = await run(...args)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain(message)
})

let printed: Promise<(document: unknown) => boolean> | undefined

/** The schema as the command line prints it, compiled once as another tool would. */
function printedSchema(): Promise<(document: unknown) => boolean> {
  return (printed ??= compilePrinted())
}

async function compilePrinted(): Promise<(document: unknown) => boolean> {
  const { code, stdout, stderr } = await run('schema')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return new Ajv({ allowUnionTypes: true, strictTypes: false, strictRequired: false }).compile(JSON.parse(stdout))
}

const policies = ['policies', 'dist/policies'].flatMap((folder) =>
  readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml') && !/^(?:catalogue|recommendations)\//.test(name))
    .map((name) => join(PROJECT, folder, name)),
)

test('the schema that is printed takes every policy that ships', async () => {
  const validate = await printedSchema()
  expect(policies.length).toBeGreaterThan(5)
  for (const name of policies) {
    expect(validate(parse(readFileSync(name, 'utf8'))), name).toBe(true)
  }
})

const SOUND = `
policy:
  id: web
  controls:
    - id: web-1
      severity: high
      resources: [file#/etc/motd]
ccm:
  resources:
    - file:
        - /etc/motd:
            ensure: present
            owner: root
            mode: 0644
            require: [package#nginx]
    - package:
        name: nginx
        ensure: latest
    - service:
        - nginx:
            enable: true
            subscribe: [file#/etc/motd]
    - archive:
        - /tmp/a.zip:
            ensure: present
            url: https://example.com/a.zip
            owner: root
            group: root
            tries: 3
            timeout: 90s
            health_checks: [{ command: /bin/true, tries: 2 }]
`

test.each([
  ['nothing', '', '', true],
  ['a misspelt type', '- file:', '- fiel:', false],
  ['a misspelt property', 'owner:', 'onwer:', false],
  ['a wrong value of ensure', 'ensure: present', 'ensure: absnet', false],
  ['a name that is a list', 'name: nginx', 'name: []', false],
  ['an invalid flag', 'enable: true', 'enable: soon', false],
  ['a number out of its range', 'tries: 3', 'tries: 101', false],
  ['a duration without a unit', 'timeout: 90s', 'timeout: ninety', false],
  ['a missing url', 'url: https://example.com/a.zip', '', false],
  ['a subscription of a type without subscriptions', 'require:', 'subscribe:', false],
  ['an unknown severity', 'severity: high', 'severity: hihg', false],
  ['a misspelt section', 'policy:', 'polcy:', false],
  ['a health check that is never tried', 'tries: 2', 'tries: 0', false],
  ['a template in place of a value', 'tries: 3', 'tries: "{{ lookup(\'data.tries\') }}"', true],
])('the schema that is printed judges a policy with %s', async (_title, sound, planted, isSound) => {
  const text = SOUND.replace(sound, planted)
  expect(text === SOUND).toBe(sound === planted)
  expect((await printedSchema())(parse(text))).toBe(isSound)
})

test('the schema that the guide names to editors is there and takes its policy', async () => {
  const named = blocksOf(readFileSync(join(PROJECT, 'docs/guide/editors.md'), 'utf8')).flatMap(({ lines }) => {
    const [, schema] = /^# yaml-language-server: \$schema=node_modules\/driftgate\/(.*)$/.exec(lines[0] ?? '') ?? []
    return schema === undefined ? [] : [{ schema, policy: lines.join('\n') }]
  })
  expect(named).toHaveLength(1)
  for (const { schema, policy } of named) {
    const shipped: unknown = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')).exports[`./${schema}`]
    expect(shipped).toBe(`./${schema}`)
    expect(readFileSync(join(PROJECT, schema), 'utf8')).toBe((await run('schema')).stdout)
    expect((await printedSchema())(parse(policy))).toBe(true)
  }
})

test('schema --out writes the schema that ships', async () => {
  const cwd = temporaryDirectory()
  const { code, stdout, stderr } = await driftgate(['schema', '--out'], { cwd })
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: 'driftgate: wrote policy.schema.json\n' })
  expect(readFileSync(join(cwd, 'policy.schema.json'), 'utf8')).toBe(
    readFileSync(join(PROJECT, 'schemas/policy.schema.json'), 'utf8'),
  )
})

test('completion offers the types to docs', async () => {
  const cwd = temporaryDirectory()
  writeFileSync(join(cwd, 'completion'), (await driftgate(['completion', 'bash'], { cwd })).stdout)
  const script = `source completion; COMP_WORDS=(driftgate docs sc); COMP_CWORD=2; _driftgate; echo "\${COMPREPLY[@]}"`
  const { stdout } = await start('bash', ['-c', script], { cwd }).outcome
  expect(stdout).toBe('scaffold\n')
  expect((await driftgate(['completion', 'zsh'], { cwd })).stdout).toContain(
    `type:(${resourceTypes.map(({ type }) => type).join(' ')})`,
  )
})
