import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { known, type Reading } from '../../../../src/model/observation.ts'
import { openAudit } from '../../../../src/subjects/auditd/live/audit.ts'
import { createAuditControl } from '../../../../src/subjects/auditd/live/control.ts'
import { NO_JOURNAL } from '../../../../src/host/live/journal.ts'
import { createLocalProbe } from '../../../../src/host/live/probe.ts'
import type { AuditState } from '../../../../src/subjects/auditd/auditd.ts'
import { judgeRule } from '../../../../src/subjects/auditd/rules/coverage.ts'
import type { AuditLayer } from '../../../../src/subjects/auditd/rules/layers.ts'
import { auditMachine } from '../../../support/audit-machine.ts'
import { kernelProblem, ruleOf, withKernelRules } from '../../../support/audit-rules.ts'
import { needsRoot, temporaryDirectory } from '../../../support/temporary.ts'
import { runAsNobody } from '../../../support/unprivileged.ts'

const SIGNAL = new AbortController().signal
const ids = {
  userId: (name: string) => known(name === 'chrony' ? 117 : null),
  groupId: (name: string) => known(name === 'adm' ? 4 : null),
}

async function stateOf(
  files: Readonly<Record<string, string>>,
  arrange: (root: string) => void = () => {},
): Promise<AuditState> {
  const root = temporaryDirectory()
  const place = auditMachine(root, files)
  arrange(root)
  const state = await openAudit({ probe: createLocalProbe(), ...ids, place }).state([ruleOf(WANTED)], SIGNAL)
  if (state.kind === 'unknown') throw new Error(state.detail)
  return state.value
}

const WANTED = '-a always,exit -F arch=b64 -S chmod -F auid>=UID_MIN -F uid=chrony -F gid=adm -F euid=nobody'

function told<Value>(reading: Reading<Value>, tell: (value: Value) => AuditLayer): unknown {
  if (reading.kind === 'unknown') return `${reading.reason}: ${reading.detail}`
  return tell(reading.value).entries.map(({ text, at }) => (at === undefined ? text : `${at.file}:${at.line}: ${text}`))
}

const loaded = ({ loaded: reading }: AuditState) => told(reading, ({ layer }) => layer)
const compiled = ({ compiled: reading }: AuditState) => told(reading, (layer) => layer)
const stored = ({ stored: reading }: AuditState) => told(reading, ({ layer }) => layer)

describe('the kernel', () => {
  const answering = (list: string, status: string) => (root: string) => {
    const text = `#!/bin/sh\nif [ "$1" = -l ]; then ${list}; else ${status}; fi\n`
    writeFileSync(join(root, 'bin/auditctl'), text)
  }

  test('has no rules, or those that it lists', async () => {
    expect(loaded(await stateOf({}))).toEqual([])
    const rule = '-a always,exit -F arch=b64 -S chmod -F auid>=1000 -F auid!=-1 -F key=perm_mod'
    expect(loaded(await stateOf({ 'kernel/rules': `${rule}\n` }))).toEqual([
      '-a always,exit -F arch=b64 -S chmod -F auid!=unset -F auid>=1000 -F key=perm_mod',
    ])
  })

  test('tells its settings', async () => {
    const { loaded: reading } = await stateOf({
      'kernel/status': 'enabled 2\nfailure 1\nbacklog_limit 64\nloginuid_immutable 1 locked\n',
    })
    if (reading.kind === 'unknown') throw new Error(reading.detail)
    expect(reading.value.enabled).toBe(2)
    expect([...reading.value.layer.settings].map(([name, { value }]) => `${name} ${value}`)).toEqual([
      '-b 64',
      '-f 1',
      '-e 2',
      '--loginuid-immutable 1',
    ])
  })

  test.each([
    ['echo The audit system is disabled', 'not-observable: auditctl -l: The audit system is disabled'],
    [
      'echo "You must be root to run this program." >&2; exit 4',
      'permission-denied: auditctl -l: You must be root to run this program.',
    ],
    [
      'echo "Error sending rule list data request (Operation not permitted)" >&2; exit 255',
      'permission-denied: auditctl -l: Error sending rule list data request (Operation not permitted)',
    ],
    ['true', 'not-observable: auditctl -l: no output'],
    ['exit 1', 'not-observable: auditctl -l: no output'],
  ])('is unknown where its answer is %s', async (command, expected) => {
    expect(loaded(await stateOf({}, answering(command, 'echo enabled 1')))).toBe(expected)
  })

  test('is unknown where its status is', async () => {
    const state = await stateOf({}, answering('echo No rules', 'echo The audit system is disabled'))
    expect(loaded(state)).toBe('not-observable: auditctl -s: The audit system is disabled')
  })

  test('is unknown without auditctl', async () => {
    const state = await stateOf({}, (root) => rmSync(join(root, 'bin/auditctl')))
    expect(loaded(state)).toMatch(/^not-observable: auditctl is not installed/)
  })

  test('lists a rule about the path of a directory as -w, which the files tell apart', async () => {
    const path = '-a always,exit -F path=/etc -F perm=w'
    const files = { 'etc/audit/rules.d/a.rules': `${path}\n`, 'kernel/rules': '-w /etc -p w -k key\n' }
    const { loaded: reading } = await stateOf(files)
    expect(reading).toMatchObject({
      value: { layer: { entries: [{ rule: { place: { kind: 'path' }, keys: ['key'] } }] } },
    })
  })

  test('lists a rule that records nothing as -w, which the files tell apart', async () => {
    const never = '-a never,exit -F path=/etc/passwd -F perm=w'
    const state = await stateOf({
      'etc/audit/rules.d/a.rules': `${never}\n`,
      'kernel/rules': '-w /etc/passwd -p w\n-w /etc/shadow -p w\n',
    })
    expect(loaded(state)).toEqual([`/etc/audit/rules.d/a.rules:1: ${never}`, '-w /etc/shadow -p w'])
  })
})

describe('a rule about a program', () => {
  const chmod = (program: string) => `-a always,exit -F arch=b64 -S chmod ${program}`
  const EXACTLY = chmod('-F exe=/bin/x')
  const OTHERS = chmod('-F exe!=/bin/x')

  /** What a listing is taken for, by whether it covers both rules. auditctl 3 lists both rules as `exe=`. */
  async function coversBoth(file: string, listed: string): Promise<readonly (string | undefined)[]> {
    const state = await stateOf({ 'etc/audit/rules.d/a.rules': file, 'kernel/rules': `${listed}\n` })
    if (state.loaded.kind === 'unknown') throw new Error(state.loaded.detail)
    const { entries } = state.loaded.value.layer
    const { syscalls } = state
    return [EXACTLY, OTHERS, chmod('')].map(
      (text) => judgeRule({ wanted: ruleOf(text), entries, syscalls, comparesKey: false })[0]?.verdict.kind,
    )
  }

  test.each([
    ['the rule itself is in a file', `${EXACTLY}\n`, EXACTLY, ['covered', 'missing', 'narrower']],
    ['its opposite is in a file', `${OTHERS}\n`, EXACTLY, ['missing', 'covered', 'narrower']],
    ['both are in files', `${OTHERS}\n${EXACTLY}\n`, EXACTLY, ['narrower', 'narrower', 'narrower']],
    ['neither is in a file', '', EXACTLY, ['narrower', 'narrower', 'narrower']],
    ['it is listed as !=', '', OTHERS, ['missing', 'covered', 'narrower']],
    ['it records nothing', '', `-a never,exit -F exe=/bin/y\n${EXACTLY}`, ['hidden', 'hidden', 'hidden']],
  ])('is covered as far as the listing is certain: %s', async (_name, file, listed, expected) => {
    expect(await coversBoth(file, listed)).toEqual(expected)
  })
})

describe('the files', () => {
  test('are read in the order of augenrules', async () => {
    const state = await stateOf({
      'etc/audit/rules.d/10-b.rules': '-w /etc/shadow -p wa\n-e 2\n',
      'etc/audit/rules.d/9-a.rules': '-w /etc/passwd -p wa\n',
      'etc/audit/rules.d/11-c.txt': '-w /etc/no -p wa\n',
      'etc/audit/rules.d/.12.rules': '-w /etc/no -p wa\n',
      'etc/audit/rules.d/99-d.rules': '-w /etc/login.defs -p wa\n',
    })
    expect(stored(state)).toEqual([
      '/etc/audit/rules.d/9-a.rules:1: -w /etc/passwd -p wa',
      '/etc/audit/rules.d/10-b.rules:1: -w /etc/shadow -p wa',
      '/etc/audit/rules.d/99-d.rules:1: -w /etc/login.defs -p wa',
    ])
    expect(compiled(state)).toEqual([])
  })

  test('that are links count, and directories and links to nowhere do not', async () => {
    const state = await stateOf({ 'etc/elsewhere': '-w /etc/passwd -p wa\n' }, (root) => {
      symlinkSync('../../elsewhere', join(root, 'etc/audit/rules.d/a.rules'))
      symlinkSync('nowhere', join(root, 'etc/audit/rules.d/b.rules'))
      mkdirSync(join(root, 'etc/audit/rules.d/c.rules'))
    })
    expect(stored(state)).toEqual(['/etc/audit/rules.d/a.rules:1: -w /etc/passwd -p wa'])
  })

  test('with a pattern for a name are unknown', async () => {
    const state = await stateOf({ 'etc/audit/rules.d/a*.rules': '-w /etc/passwd -p wa\n' })
    expect(stored(state)).toMatch(/^invalid: .*a\*\.rules: augenrules treats the name as a pattern/)
  })

  test('are one where there is no directory', async () => {
    const text = '-w /etc/passwd -p wa\n'
    const state = await stateOf({ 'etc/audit/audit.rules': text }, (root) =>
      rmSync(join(root, 'etc/audit/rules.d'), { recursive: true }),
    )
    expect(stored(state)).toEqual(['/etc/audit/audit.rules:1: -w /etc/passwd -p wa'])
    const none = await stateOf({}, (root) => rmSync(join(root, 'etc/audit'), { recursive: true }))
    expect([compiled(none), stored(none)]).toEqual([[], []])
  })

  test('are unknown where awks differ and the compiled file does not tell', async () => {
    const source = { 'etc/audit/rules.d/audit.rules': '  -e 2\n-w /etc/passwd -p wa\n' }
    expect(stored(await stateOf(source))).toMatch(/^invalid: a line of .* awk implementations treat differently/)
    const head = '## This file is automatically generated from /etc/audit/rules.d\n\n\n\n'
    const asLetters = { ...source, 'etc/audit/audit.rules': `${head}  -e 2\n-w /etc/passwd -p wa\n\n` }
    expect(stored(await stateOf(asLetters))).toEqual([expect.stringContaining(':2: -w /etc/passwd')])
  })
})

describe('a rule', () => {
  test('is about the paths that the machine resolves', async () => {
    const { resolve } = await stateOf({}, (root) => {
      mkdirSync(join(root, 'run/log'), { recursive: true })
      mkdirSync(join(root, 'var'))
      symlinkSync('../run', join(root, 'var/run'))
    })
    const place = (text: string): unknown => {
      const resolved = resolve(ruleOf(text))
      return resolved.kind === 'rule' ? resolved.rule.place : resolved.kind
    }
    expect(place('-w /etc -p wa')).toEqual({ kind: 'dir', path: '/etc' })
    expect(place('-w /etc/passwd -p wa')).toEqual({ kind: 'path', path: '/etc/passwd' })
    expect(place('-w /etc/nothing -p wa')).toEqual({ kind: 'path', path: '/etc/nothing' })
    expect(place('-w /etc/nothing/x -p wa')).toBe('refused')
    expect(place('-a always,exit -F dir=/etc/nothing -F perm=w')).toBe('refused')
    expect(place('-w / -p wa')).toEqual({ kind: 'dir', path: '/' })
  })

  test('is resolved above its last part', async () => {
    const { resolve } = await stateOf({}, (root) => {
      mkdirSync(join(root, 'run'))
      mkdirSync(join(root, 'var'))
      symlinkSync('../run', join(root, 'var/run'))
      symlinkSync('passwd', join(root, 'etc/link'))
    })
    expect(resolve(ruleOf('-w /var/run/utmp -p wa'))).toMatchObject({ rule: { place: { path: '/run/utmp' } } })
    expect(resolve(ruleOf('-w /etc/link -p wa'))).toMatchObject({
      rule: { place: { kind: 'path', path: '/etc/link' } },
    })
  })

  test('has numbers for names, and is not known without', async () => {
    const { resolve } = await stateOf({})
    expect(resolve(ruleOf(WANTED))).toEqual({ kind: 'unclear', message: 'unknown user or group nobody in euid=nobody' })
    const { resolve: again } = await stateOf({})
    const resolved = again(ruleOf(WANTED.replace(' -F euid=nobody', '')))
    expect(resolved).toMatchObject({
      rule: {
        fields: [
          { name: 'auid', value: 1000 },
          { name: 'gid', value: 4 },
          { name: 'uid', value: 117 },
        ],
      },
    })
  })
})

test.skipIf(needsRoot)('another user than root is told of no layer', async () => {
  const root = temporaryDirectory()
  const place = auditMachine(root)
  for (const path of ['etc/audit/rules.d', 'etc/audit/audit.rules', 'kernel']) chmodSync(join(root, path), 0o700)
  const text = `
    import { openAudit } from '${process.cwd()}/src/subjects/auditd/live/audit.ts'
    import { createLocalProbe } from '${process.cwd()}/src/host/live/probe.ts'
    const nobody = () => ({ kind: 'known', value: null })
    const audit = openAudit({ probe: createLocalProbe(), userId: nobody, groupId: nobody, place: JSON.parse(process.argv[2]) })
    void audit.state([], new AbortController().signal).then(({ value: { loaded, compiled, stored } }) =>
      console.log(JSON.stringify([loaded.kind, compiled.reason, stored.reason])))
  `
  expect(await runAsNobody(text, [JSON.stringify(place)])).toEqual([
    'unknown',
    'permission-denied',
    'permission-denied',
  ])
})

describe('a change', () => {
  const file = (text: string) => ({ path: '/etc/audit/rules.d/60-own.rules', text })

  test('is written for root alone, compiled and loaded', async () => {
    const root = temporaryDirectory()
    const control = createAuditControl(NO_JOURNAL, auditMachine(root))
    expect(await control.change({ file: file('-w /etc/shadow -p wa\n'), load: true }, SIGNAL)).toEqual({ kind: 'done' })
    expect(readFileSync(join(root, 'kernel/rules'), 'utf8')).toBe('-w /etc/shadow -p wa\n')
    expect(
      execFileSync('stat', ['-c', '%a', join(root, 'etc/audit/rules.d/60-own.rules')], { encoding: 'utf8' }).trim(),
    ).toBe('600')
  })

  test.each([undefined, '# before\n'])(
    'is put back where the kernel refuses it, with what was there: %j',
    async (before) => {
      const root = temporaryDirectory()
      const place = auditMachine(root, {
        'etc/audit/rules.d/10.rules': '-w /etc/passwd -p wa\n',
        ...(before === undefined ? {} : { 'etc/audit/rules.d/60-own.rules': before }),
      })
      const outcome = await createAuditControl(NO_JOURNAL, place).change(
        { file: file('-w /refused -p wa\n'), load: true },
        SIGNAL,
      )
      expect(outcome).toEqual({
        kind: 'failed',
        message:
          'augenrules --load: Error sending add rule data request (Invalid argument); the previous rules are restored',
      })
      expect(readFileSync(join(root, 'kernel/rules'), 'utf8')).toBe('-w /etc/passwd -p wa\n')
      const read = (): string => readFileSync(join(root, 'etc/audit/rules.d/60-own.rules'), 'utf8')
      if (before === undefined) expect(read).toThrow('ENOENT')
      else expect(read()).toBe(before)
    },
  )
})

const reason = kernelProblem()

describe.skipIf(reason)(`the kernel itself${reason === undefined ? '' : `: ${reason}`}`, () => {
  test('shows a rule that records nothing as -w', () => {
    const listing = withKernelRules('auditctl -a never,exit -F path=/etc/shadow -F perm=wa && auditctl -l')
    expect(listing.trim()).toBe('-w /etc/shadow -p wa')
  })
})
