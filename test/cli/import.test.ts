import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { driftgate } from '../support/command-line.ts'
import { type Outcome, temporaryDirectory } from '../support/driftgate.ts'

function run(...args: readonly string[]): Promise<Outcome> {
  return driftgate(args, { cwd: temporaryDirectory() })
}

function written(name: string, text: string): string {
  const path = join(temporaryDirectory(), name)
  writeFileSync(path, text)
  return path
}

function gossAbout(directory: string): string {
  return JSON.stringify({
    file: {
      [`${directory}/a`]: {
        title: 'The file is as it was made',
        meta: { severity: 'high', desc: 'Others may not write it.' },
        exists: true,
        filetype: 'file',
        mode: '0640',
        contents: ['one', '!two'],
      },
      [`${directory}/gone`]: { exists: false },
      [`${directory}/directory`]: { exists: true, filetype: 'directory', mode: { or: ['0755', '0750'] } },
    },
    'kernel-param': { 'kernel.ostype': { value: { or: ['Linux', 'Other'] } } },
    user: { root: { exists: true, uid: 0, gid: { lt: 10 } } },
    group: { root: { exists: true, gid: { and: [{ ge: 0 }, { lt: 1 }] } } },
    command: {
      'it works': { exec: 'exit 3', 'exit-status': 3 },
      'it says': { exec: 'echo hi', 'exit-status': 0, stdout: ['hi'] },
    },
    matching: { count: { content: 4, matches: { gt: 3 } } },
    process: { 'no-such': { running: true, skip: true } },
  })
}

/** What both say when they are scanned: the exit codes. */
async function scanBoth(goss: string, policy: string): Promise<readonly (number | null)[]> {
  // What a policy wants of the kernel after the next start no file of Goss asks for.
  const without = ['--skip', 'sysctl#*']
  const codes = [await run('scan', goss), await run('scan', policy, ...without)]
  return codes.map(({ code }) => code)
}

test('a file of Goss becomes a policy that says the same of every state, and that fixes', async () => {
  const directory = temporaryDirectory()
  const at = (name: string): string => join(directory, name)
  const goss = written('goss.yaml', gossAbout(directory))
  const policy = join(temporaryDirectory(), 'policy.yaml')
  expect(await run('import', 'goss', goss, '--output', policy)).toMatchObject({ code: 0, stdout: '' })

  writeFileSync(at('a'), 'one\n')
  chmodSync(at('a'), 0o640)
  mkdirSync(at('directory'))
  chmodSync(at('directory'), 0o750)
  expect(await scanBoth(goss, policy)).toEqual([0, 0])
  const drift: readonly (readonly [apart: () => void, right: () => void])[] = [
    [() => chmodSync(at('a'), 0o644), () => chmodSync(at('a'), 0o640)],
    [() => writeFileSync(at('a'), 'one\ntwo\n'), () => writeFileSync(at('a'), 'one\n')],
    [() => writeFileSync(at('gone'), ''), () => rmSync(at('gone'))],
    [() => chmodSync(at('directory'), 0o700), () => chmodSync(at('directory'), 0o755)],
  ]
  for (const [apart, right] of drift) {
    apart()
    expect(await scanBoth(goss, policy)).toEqual([2, 2])
    right()
  }
  chmodSync(at('a'), 0o644)
  writeFileSync(at('gone'), '')
  expect(await run('scan', '--fix', policy, '--skip', 'sysctl#*')).toMatchObject({ code: 0 })
  expect(existsSync(at('gone'))).toBe(false)
  expect(await scanBoth(goss, policy)).toEqual([0, 0])
})

test('a title becomes a control, what only Goss says stays with goss, and what was skipped still is', async () => {
  const { stdout } = await run('import', 'goss', written('goss.yaml', gossAbout('/srv')))
  const policy = parse(stdout) as { policy: { controls: unknown }; ccm: { resources: Record<string, unknown>[] } }
  expect(policy.policy.controls).toEqual([
    {
      id: 'goss-1',
      title: 'The file is as it was made',
      severity: 'high',
      description: 'Others may not write it.',
      resources: ['file#/srv/a', 'goss#file:/srv/a'],
    },
  ])
  expect(policy.ccm.resources).toEqual(
    expect.arrayContaining([
      { file: [{ '/srv/a': { ensure: 'present', mode: '0640', if_absent: 'drift' } }] },
      {
        goss: [
          {
            'file:/srv/a': {
              rules: { file: { '/srv/a': { exists: true, filetype: 'file', contents: ['one', '!two'] } } },
            },
          },
        ],
      },
      { file: [{ '/srv/gone': { ensure: 'absent' } }] },
      { group: [{ root: { gid: { at_least: 0, at_most: 0 } } }] },
      { goss: [{ 'command:it works': { rules: { command: { 'it works': { exec: 'exit 3', 'exit-status': 3 } } } } }] },
      {
        goss: [
          { 'process:no-such': { rules: { process: { 'no-such': { running: true } } }, control: { if: 'false' } } },
        ],
      },
    ]),
  )
  expect(stdout).toContain('# matching:count keeps the type goss: ')
})

const OF_EACH_KIND = {
  package: { vim: { installed: true }, telnetd: { installed: false }, nano: { installed: { not: false } } },
  service: {
    cron: { running: true, enabled: true },
    avahi: { running: false },
    ssh: { enabled: true },
  },
  user: {
    games: { exists: false },
    app: { exists: true, uid: { or: [800, 801] }, gid: 800, home: { equal: '/srv' }, shell: { not: '/bin/sh' } },
  },
  group: { games: { exists: false }, app: { exists: true, gid: { not: 0 } } },
  mount: {
    '/tmp': { exists: true, opts: ['nodev'], source: 'tmpfs', filesystem: { or: ['tmpfs', 'ext4'] } },
    '/media': { exists: false },
  },
  'kernel-param': { 'kernel.pid_max': { value: { and: [{ gt: 9 }, { le: 99 }] } }, 'kernel.panic': { value: 10 } },
  file: { 'not/absolute': { exists: true, filetype: 'file' }, '/link': { exists: true, filetype: 'symlink' } },
  process: { nginx: { running: true } },
  command: { missing: { exec: 'nothing', 'exit-status': 127 } },
}

test('each kind of Goss resource becomes a driftgate type with the same meaning, if there is one', async () => {
  const { stdout } = await run('import', 'goss', written('goss.yaml', JSON.stringify(OF_EACH_KIND)))
  const { ccm } = parse(stdout) as { ccm: { resources: Record<string, object[]>[] } }
  const own = ccm.resources.filter(({ goss }) => goss === undefined)
  expect(own).toEqual([
    { package: [{ vim: { ensure: 'present' } }] },
    { package: [{ telnetd: { ensure: 'absent' } }] },
    { service: [{ cron: { ensure: 'running', enable: true } }] },
    { service: [{ avahi: { ensure: 'stopped' } }] },
    { user: [{ games: { ensure: 'absent' } }] },
    { user: [{ app: { uid: { one_of: [800, 801] }, home: '/srv', shell: { not: '/bin/sh' }, group: '800' } }] },
    { group: [{ games: { ensure: 'absent' } }] },
    { group: [{ app: { gid: { not: 0 } } }] },
    {
      mount: [{ '/tmp': { options: { includes: ['nodev'] }, device: 'tmpfs', fstype: { one_of: ['tmpfs', 'ext4'] } } }],
    },
    { sysctl: [{ 'kernel.pid_max': { value: { at_least: '10', at_most: '99' } } }] },
    { sysctl: [{ 'kernel.panic': { value: '10' } }] },
  ])
  const left = ccm.resources.flatMap(({ goss = [] }) => goss.flatMap((each) => Object.keys(each)))
  expect(left.toSorted()).toEqual([
    'command:missing',
    'file:/link',
    'file:not/absolute',
    'mount:/media',
    'package:nano',
    'process:nginx',
    'service:ssh',
  ])
  expect((await run('validate', written('policy.yaml', stdout))).code).toBe(0)
})

test.each([
  ['goss', 'gone.yaml', undefined, 'gone.yaml: cannot be read: no such file'],
  ['inspec-waivers', 'gone.csv', undefined, 'cannot read '],
  ['inspec-waivers', 'w.yaml', '[cis-1.1]\n', 'an InSpec waiver file must be a map from control ids'],
  ['inspec-waivers', 'w.yaml', 'cis-*: {justification: x}\n', '*, ? and # have another meaning'],
  ['inspec-waivers', 'w.yaml', 'a: {justification: x, expiration_date: 2026-02-30}\n', 'expiration_date: '],
  ['inspec-waivers', 'w.yaml', Buffer.from([0xff]), 'UTF-8'],
  ['inspec-attributes', 'a.yaml', '[a]\n', 'InSpec inputs must be a map'],
  ['inspec-attributes', 'a.yaml', 'inputs: [{value: 1}]\n', 'an input: missing name'],
  ['inspec-attributes', 'a.yaml', 'a: [\n', 'a.yaml:2:1'],
])('%s: what is wrong with %s is said', async (format, name, text, message) => {
  const file = join(temporaryDirectory(), name)
  if (text !== undefined) writeFileSync(file, text)
  const { code, stdout, stderr } = await run('import', format, file)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain(message)
})

test('an existing output is not overwritten, and a file that is not of Goss is refused', async () => {
  const goss = written('goss.yaml', 'matching: {a: {content: 1, matches: 1}}\n')
  const output = written('policy.yaml', 'mine')
  expect(await run('import', 'goss', goss, '--output', output)).toMatchObject({ code: 1, stdout: '' })
  expect(readFileSync(output, 'utf8')).toBe('mine')
  const policy = written('policy.yaml', 'ccm: {resources: [{file: [{/a: {ensure: absent}}]}]}\n')
  expect(await run('import', 'goss', policy)).toMatchObject({ code: 1 })
  expect(await run('import', 'goss', written('goss.yaml', 'fil: {}\n'))).toMatchObject({ code: 1 })
})

const WAIVERS: readonly (readonly [file: string, text: string])[] = [
  ['w.yml', 'cis-1.1:\n  justification: the vendor says so, really\n  expiration_date: 2099-01-31\n  run: true\n'],
  ['w.json', '{"cis-1.1": {"justification": "the vendor says so, really", "expiration_date": "2099-01-31"}}'],
  ['w.csv', 'control_id,justification,run,expiration_date\r\ncis-1.1,"the vendor says so, really",true,2099-01-31\r\n'],
]

test.each(WAIVERS)('waivers of InSpec in %s', async (name, text) => {
  const { code, stdout } = await run('import', 'inspec-waivers', written(name, text), '--approver', 'Ada')
  expect(code).toBe(0)
  expect(parse(stdout)).toEqual({
    waivers: [
      {
        id: 'cis-1.1',
        control: 'cis-1.1',
        reason: 'the vendor says so, really',
        approver: 'Ada',
        expires: '2099-01-30',
      },
    ],
  })
  expect(await run('waivers', 'check', written('waivers.yaml', stdout))).toMatchObject({ code: 0 })
})

test('a waiver needs an end, a reason and an approver; the error names its place', async () => {
  const file = written('w.yml', '# waived\n"9.10":\n  run: false\n')
  const refused = await run('import', 'inspec-waivers', file)
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr.match(/w\.yml:2:1/g)).toHaveLength(4)
  for (const word of ['--approver', '--expires', 'justification', 'run: false']) expect(refused.stderr).toContain(word)
  const ended = await run(
    'import',
    'inspec-waivers',
    written('w.yml', '"9.10": {justification: old}\n'),
    '--approver',
    'Ada',
    '--expires',
    '2099-06-30',
  )
  expect(parse(ended.stdout)).toMatchObject({ waivers: [{ control: '9.10', expires: '2099-06-30' }] })
})

test('inputs of InSpec become data', async () => {
  const plain = written('inputs.yml', 'port: 22\nusers: [a, b]\n')
  expect(parse((await run('import', 'inspec-attributes', plain)).stdout)).toEqual({
    port: 22,
    users: ['a', 'b'],
  })
  const profile = written(
    'inspec.yml',
    'name: p\ninputs:\n- {name: port, value: 22, required: true}\n- {name: none}\n- {name: old, default: x}\n',
  )
  const { stdout, stderr } = await run('import', 'inspec-attributes', profile)
  expect(parse(stdout)).toEqual({ port: 22, old: 'x' })
  expect(stderr).toContain('inspec.yml:3:3')
  expect(stderr).toContain('required is not converted')
  expect(stderr).toContain('none: omitted, because it has no value')
})
