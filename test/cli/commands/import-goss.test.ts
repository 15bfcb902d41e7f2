import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { runInProcess, runInProcessWith } from '../../support/command-line.ts'
import { put } from '../../support/contract.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

interface Imported {
  readonly code: number
  readonly stderr: string
  readonly text: string
  readonly resources: readonly Readonly<Record<string, readonly object[]>>[]
  readonly controls: readonly object[]
  /** The exit codes of a scan of the file of Goss and of the policy. */
  readonly scans: () => Promise<readonly number[]>
}

async function imported(files: Readonly<Record<string, string>>): Promise<Imported> {
  const directory = temporaryDirectory()
  put(directory, files)
  const goss = join(directory, Object.keys(files)[0] ?? '')
  const { code, stdout, stderr } = await runInProcess('import', 'goss', goss)
  const policy = join(directory, 'policy.yaml')
  writeFileSync(policy, stdout)
  const document = code === 0 ? (parse(stdout) as Policy) : undefined
  const exit = async (file: string): Promise<number> => (await runInProcess('scan', file)).code
  return {
    code,
    stderr,
    text: stdout,
    resources: document?.ccm.resources ?? [],
    controls: document?.policy.controls ?? [],
    scans: async () => [await exit(goss), await exit(policy)],
  }
}

interface Policy {
  readonly policy: { readonly controls?: Imported['controls'] }
  readonly ccm: { readonly resources: Imported['resources'] }
}

const only = (document: unknown): Promise<Imported> => imported({ 'goss.yaml': JSON.stringify(document) })

describe('text that looks like a template', () => {
  test('stays text in names, values and rules', async () => {
    const directory = temporaryDirectory()
    mkdirSync(join(directory, '3'))
    const text = `
file:
  ${directory}/\${1+2}: {exists: false}
  ${directory}/\${HOME}: {exists: false, title: 'no \${HOME}'}
command:
  "echo '\${a}' '{{ \`{{.Names}}\` }}'": {exit-status: 0, stdout: ['\${a} {{ \`{{.Names}}\` }}']}
matching:
  '\${1+2}': {content: {'\${3}': '\${4}'}, matches: {have-key: '\${3}'}}
`
    const { code, stderr, resources, controls, scans } = await imported({ 'goss.yaml': text })
    expect([code, stderr]).toEqual([0, ''])
    expect(resources[0]).toEqual({ file: [{ [`${directory}/$\${1+2}`]: { alias: 'file:1', ensure: 'absent' } }] })
    expect(controls).toMatchObject([{ resources: ['file#file:2'] }])
    expect(await scans()).toEqual([0, 0])
  })
})

describe('the meaning is kept', () => {
  const kinds = (more: object): object => ({ exists: true, filetype: 'file', ...more })

  test.each<[string, (at: string) => void, object, number]>([
    ['a link to what is wanted', (at) => (writeFileSync(`${at}2`, ''), symlinkSync(`${at}2`, at)), kinds({}), 2],
    ['a set-id bit', (at) => (writeFileSync(at, ''), chmodSync(at, 0o4755)), kinds({ mode: '4755' }), 0],
    [
      'a set-id bit that is not there',
      (at) => (writeFileSync(at, ''), chmodSync(at, 0o755)),
      kinds({ mode: '4755' }),
      2,
    ],
    [
      'three digits, which are no mode to Goss',
      (at) => (writeFileSync(at, ''), chmodSync(at, 0o644)),
      kinds({ mode: '644' }),
      2,
    ],
    [
      'a sticky bit of a directory',
      (at) => (mkdirSync(at), chmodSync(at, 0o1755)),
      { exists: true, filetype: 'directory', mode: '0755' },
      2,
    ],
    [
      'a number, which is a name to Goss',
      (at) => writeFileSync(at, ''),
      kinds({ owner: String(process.getuid?.()) }),
      2,
    ],
  ])('%s', async (_, make, body, code) => {
    const at = join(temporaryDirectory(), 'a')
    make(at)
    const { scans } = await only({ file: { [at]: body } })
    expect(await scans()).toEqual([code, code])
  })

  test('commands stay with goss, which alone runs them as Goss does', async () => {
    const { resources, text } = await only({ command: { 'test -n "$PATH"': { 'exit-status': 0 } } })
    expect(resources.flatMap(Object.keys)).toEqual(['goss'])
    expect(text).toContain('# command:test -n "$PATH" keeps the type goss: only goss runs commands in the environment')
  })
})

describe('a Goss test that a policy cannot express', () => {
  test('stays with goss, and the rest is imported', async () => {
    const { code, stderr, resources } = await only({
      file: {
        '~/.rhosts': { exists: false },
        'relative/path': { exists: false },
        '/opt/app/': { exists: true, filetype: 'directory' },
        one: { path: '/etc/passwd', exists: true, filetype: 'file', mode: '0644' },
        two: { path: '/etc/./passwd', exists: true, filetype: 'file', owner: 'root' },
      },
      package: {
        'vim*': { installed: true },
        nis: { installed: false },
        nis_client: { name: 'nis', installed: false },
      },
      service: { 'getty@': { running: false } },
      user: { 'no such: name': { exists: false } },
    })
    expect([code, stderr]).toEqual([0, ''])
    const names = resources.flatMap((each) =>
      Object.entries(each).flatMap(([type, list]) =>
        list.flatMap((entry) => Object.keys(entry)).map((name) => `${type} ${name}`),
      ),
    )
    expect(names).toEqual([
      'goss file:~/.rhosts',
      'goss file:relative/path',
      'file /opt/app',
      'goss file:/opt/app/',
      'file /etc/passwd',
      'goss file:one',
      'file /etc/passwd',
      'goss file:two',
      'goss package:vim*',
      'package nis',
      'package nis',
      'goss service:getty@',
      'goss user:no such: name',
    ])
    expect(resources[9]).toEqual({ package: [{ nis: { alias: 'package:nis', ensure: 'absent' } }] })
    expect(resources[10]).toEqual({ package: [{ nis: { alias: 'package:nis_client', ensure: 'absent' } }] })
  })

  test('is told at its place in the file that was given', async () => {
    const goss = 'http:\n  http://localhost/:\n    status: 200\n    username: a\n    password: b\n'
    const { stderr } = await imported({ 'goss.yaml': 'gossfile: {web.yaml: {}}\n', 'web.yaml': goss })
    expect(stderr).toMatch(/web\.yaml:2:3 warning: http http:\/\/localhost\/: its password is in the policy/)
  })
})

test('an included file that cannot be used is told, and the rest is imported', async () => {
  const { code, stderr, resources } = await imported({
    'goss.yaml': 'gossfile: {a.yaml: {}, b.yaml: {}}\n',
    'a.yaml': 'fil: {}\n',
    'b.yaml': 'package: {vim: {installed: true}}\n',
  })
  expect([code, resources]).toEqual([0, [{ package: [{ vim: { ensure: 'present' } }] }]])
  expect(stderr).toMatch(/a\.yaml:1:1 warning: fil: Goss has no such type/)
})

test('meta becomes what a control says, and the scan of the file has the same controls', async () => {
  const meta = { server: 1, CIS_ID: ['1.1.1', 2], severity: 'high', desc: 'Why', none: null, deep: { a: 1 } }
  const document = {
    matching: { a: { content: 1, matches: 1, title: 'One', meta }, b: { content: 1, matches: 1, meta: { x: 'y' } } },
  }
  const expected = [
    {
      title: 'One',
      severity: 'high',
      description: 'Why',
      references: { server: ['1'], CIS_ID: ['1.1.1', '2'], deep: ['{"a":"1"}'] },
      resources: ['goss#matching:a'],
    },
    { title: 'matching:b', references: { x: ['y'] }, resources: ['goss#matching:b'] },
  ]
  const { controls } = await only(document)
  expect(controls).toMatchObject(expected)
  const directory = temporaryDirectory()
  put(directory, { 'goss.yaml': JSON.stringify(document) })
  const { stdout } = await runInProcess('scan', join(directory, 'goss.yaml'), '--report', 'json')
  const { policies } = JSON.parse(stdout) as { policies: readonly { controls: readonly object[] }[] }
  expect(policies[0]?.controls).toMatchObject([
    { id: 'matching:a', title: 'One', severity: 'high', verdict: 'compliant' },
    { id: 'matching:b', title: 'matching:b', severity: 'medium', verdict: 'compliant' },
  ])
})

test('an id in title or meta keeps its characters', async () => {
  const text =
    'matching: {a: {content: 1, matches: 1, title: 1.10, meta: {CIS_ID: 1.1.10, CISv8: 3.10, ids: [4.20, 0644]}}}\n'
  const { controls } = await imported({ 'goss.yaml': text })
  expect(controls).toMatchObject([
    { title: '1.10', references: { CIS_ID: ['1.1.10'], CISv8: ['3.10'], ids: ['4.20', '0644'] } },
  ])
})

test('paths that the command line leaves out are those of the variables of Goss', async () => {
  const directory = temporaryDirectory()
  put(directory, {
    'a.yaml': 'matching: {"{{ .Vars.name }} {{ .Vars.other }}": {content: 1, matches: 1}}\n',
    'v.yaml': 'name: one\nother: two\n',
    'w.yaml': 'name: three\nother: four\n',
  })
  const named = async (
    env: Readonly<Record<string, string>>,
    ...args: readonly string[]
  ): Promise<readonly string[]> => {
    Object.assign(process.env, env)
    try {
      const { stdout } = await runInProcessWith(env, 'scan', '--report', 'json', ...args)
      const { policies } = JSON.parse(stdout) as { policies: readonly { resources: readonly { name: string }[] }[] }
      return policies.flatMap(({ resources }) => resources.map(({ name }) => name))
    } finally {
      for (const name of Object.keys(env)) delete process.env[name]
    }
  }
  const env = { GOSS_FILE: join(directory, 'a.yaml'), GOSS_VARS: join(directory, 'v.yaml') }
  expect(await named(env)).toEqual(['matching:one two'])
  expect(await named({ ...env, GOSS_VARS_INLINE: 'other: five' })).toEqual(['matching:one five'])
  expect(await named({ ...env, GOSS_FILE: 'gone' }, env.GOSS_FILE, '--vars', join(directory, 'w.yaml'))).toEqual([
    'matching:three four',
  ])
})

test('messages about a resource of an included file name its place there', async () => {
  const directory = temporaryDirectory()
  put(directory, {
    'goss.yaml': 'gossfile: {more.yaml: {}}\n',
    'more.yaml': '\nuser:\n  root: {exists: true}\n',
  })
  const file = join(directory, 'goss.yaml')
  const { stdout } = await runInProcess('explain', file, 'goss#user:root')
  expect(stdout).toContain('more.yaml:3:3')
  expect(stdout).not.toMatch(/goss\.yaml:\d/)
  const validated = await runInProcess('validate', '--ccm', file)
  expect(validated.stderr).toContain('more.yaml:3:3')
  expect(validated.stderr).not.toMatch(/goss\.yaml:\d/)
})

/** A benchmark as people publish it: switches around each rule, titles that repeat, templates in names, globs of files. */
function suiteOfBenchmark(directory: string): Readonly<Record<string, string>> {
  const rules = [
    (n: number) => `file:
  link_${n}:
    title: 1.1.${n} | Ensure there is no {{ .Vars.word }} ${n}
    path: ${directory}/{{ .Vars.word }}/${n}
    exists: false
    meta: {server: 1, CIS_ID: [1.1.${n}], CISv8_IG1: false}`,
    (n: number) => `file:
  ${directory}/kept-${n}: # as it is
    exists: true
    contents: ['/^\\s*umask\\s+0?[0-7][2-7]7\\b/', '!/^#{{ .Vars.word }}/']`,
    (n: number) => `command:
  count_${n}:
    title: 3.${n} | Ensure counting works
    exec: for i in \`seq ${n} | tail -n 1\`; do if [ "$i" != "$((${n} + 0))" ]; then echo "wrong $i"; fi; done 2>/dev/null
    exit-status: {or: [0, 1]}
    stdout: ['!/./']`,
    (n: number) =>
      `user:
  root: {exists: true, uid: 0, gid: 0}
  nobody-${n}: {exists: false}`.replace(n === 3 ? '' : /.*root.*\n/, ''),
    (n: number) => `group:
  no-group-${n}: {exists: ${n === 9 ? 'true' : 'false'}}`,
  ]
  const files = Array.from({ length: 50 }, (_, n) => {
    const text = rules[n % rules.length]?.(n) ?? ''
    const ruled = `---\n\n{{ if .Vars.level_1 }}\n  {{ if not .Vars.off.rule_${n} }}\n${text}\n  {{ end }}\n{{ end }}\n`
    return [`section_${n % 3}/cis_${n % 7}.x/cis_${n}.yml`, ruled] as const
  })
  const globs = '  {{ if .Vars.level_1 }}\n  section_0/*/*.yml: {}\n  {{ end }}\n  section_[12]/*/*.yml: {}\n'
  const meta = 'command:\n  meta:\n    exec: echo Meta\n    exit-status: 0\n    meta: {uuid: {{ .Vars.uuid }}}\n'
  return { 'goss.yml': `gossfile:\n${globs}\n${meta}`, ...Object.fromEntries(files) }
}

test('a benchmark of many files is imported whole, and says what Goss says of it', async () => {
  const directory = temporaryDirectory()
  put(directory, suiteOfBenchmark(directory))
  for (let n = 1; n < 50; n += 5) writeFileSync(join(directory, `kept-${n}`), n === 6 ? 'umask 022\n' : 'umask 027\n')
  const suite = join(directory, 'goss.yml')
  const off = Array.from({ length: 50 }, (_, n) => `rule_${n}: false`)
  const vars = ['--vars-inline', `{level_1: true, word: none, uuid: 0a, off: {${off.join(', ')}}}`]
  const { code, stdout, stderr } = await runInProcess('import', 'goss', suite, ...vars)
  expect([code, stderr]).toEqual([0, ''])
  writeFileSync(join(directory, 'policy.yaml'), stdout)
  const drifts = async (...args: readonly string[]): Promise<readonly [number, number]> => {
    const report = await runInProcess('scan', '--report', 'json', ...args)
    const { summary } = JSON.parse(report.stdout) as { summary: Readonly<Record<string, number>> }
    return [summary['total'] ?? 0, summary['drifted'] ?? 0]
  }
  // 10 links, 10 files, 10 commands, 10 accounts and root, 10 groups, and the one of the suite.
  expect(await drifts(suite, ...vars)).toEqual([52, 2])
  expect(await drifts(join(directory, 'policy.yaml'))).toEqual([52, 2])
})
