import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { describe, expect, test } from 'vitest'
import { createScene } from './scene.ts'
import { asOrdinaryUser } from '../../../support/unprivileged.ts'

const NEVER = 'touch ran'

describe('guards', () => {
  test('an audit runs the guards and never the command', async () => {
    const scene = createScene()
    const command = scene.script('command', `touch ${scene.path('ran')}`)
    const onlyif = scene.script('onlyif', `echo onlyif >> ${scene.path('log')}`)
    const unless = scene.script('unless', `echo unless >> ${scene.path('log')}; exit 4`)
    const result = await scene.audit({ command, onlyif, unless, creates: scene.path('nothing') })
    const reasons = `${scene.path('nothing')} does not exist and onlyif exited with 0 and unless exited with 4`
    expect(result).toMatchObject({
      verdict: 'drifted',
      change: 'will',
      provider: 'posix',
      ensure: { desired: 'present', observed: 'present' },
      drift: [{ property: 'run', desired: 'not needed', observed: `needed because ${reasons}` }],
      actions: ['Would have executed'],
      message: `run: want not needed, found needed because ${reasons}`,
    })
    expect(scene.read('log')).toBe('onlyif\nunless\n')
    expect(scene.exists('ran')).toBe(false)
  })

  test('no guard is run once an earlier one has settled the matter', async () => {
    const scene = createScene()
    const log = (name: string, code: number): string =>
      scene.script(name, `echo ${name} >> ${scene.path('log')}; exit ${code}`)
    const [no, yes] = [log('no', 1), log('yes', 0)]
    expect((await scene.audit({ creates: scene.directory, onlyif: yes, unless: no })).verdict).toBe('compliant')
    expect(scene.exists('log')).toBe(false)
    expect((await scene.audit({ onlyif: no, unless: yes })).verdict).toBe('compliant')
    expect(scene.read('log')).toBe('no\n')
  })

  test('without a guard it drifts, unless it only runs to refresh', async () => {
    const scene = createScene()
    expect(await scene.audit({ name: NEVER })).toMatchObject({
      verdict: 'drifted',
      message: 'run: want not needed, found needed because no guard prevents it',
    })
    expect((await scene.audit({ name: NEVER, refreshonly: true })).verdict).toBe('compliant')
    expect((await scene.audit({ name: NEVER, refresh_only: true })).verdict).toBe('compliant')
    expect((await scene.audit({ name: NEVER, ensure: 'absent' })).verdict).toBe('drifted')
  })

  test('guards share directory, variables and search path with the command', async () => {
    const scene = createScene()
    scene.script('tool', '[ "$GREETING" = "hello world" ] && [ "$PWD" = "$1" ]')
    const properties = {
      unless: `tool ${scene.directory}`,
      cwd: scene.directory,
      path: `${scene.directory}:/bin`,
      environment: ['GREETING=hello world'],
    }
    expect((await scene.audit(properties)).verdict).toBe('compliant')
    expect((await scene.audit({ ...properties, environment: [] })).verdict).toBe('drifted')
  })

  test('a shell interprets guards, and without one nothing is interpreted', async () => {
    const scene = createScene()
    const unless = 'test -n "$PATH" && echo $PATH | grep -q /usr/local/sbin'
    expect((await scene.audit({ unless, provider: 'shell' })).verdict).toBe('compliant')
    expect((await scene.audit({ unless: 'test $PATH = "$PATH"' })).verdict).toBe('compliant')
  })

  test('creates is relative to the directory of the command, which is relative to the policy', async () => {
    const scene = createScene()
    mkdirSync(scene.path('sub'))
    writeFileSync(scene.path('sub/made'), '')
    expect((await scene.audit({ cwd: 'sub', creates: 'made' })).verdict).toBe('compliant')
    expect((await scene.audit({ creates: 'made' })).verdict).toBe('drifted')
    expect((await scene.audit({ creates: 'etc/passwd' })).verdict).toBe('compliant')
  })

  test('command, directory, variables and guards may hold templates', async () => {
    const scene = createScene()
    const properties = {
      command: 'echo {{ Data.word }}',
      cwd: '{{ Data.directory }}',
      environment: ['WORD={{ Data.word }}'],
      onlyif: 'test {{ Data.word }} = w',
      unless: 'test "$WORD" = {{ Data.word }}',
      provider: 'shell',
    }
    const data = JSON.stringify({ word: 'w', directory: scene.directory })
    expect((await scene.audit(properties, { data })).verdict).toBe('compliant')
    expect((await scene.audit({ creates: '{{ Data.directory }}/p.yaml' }, { data })).verdict).toBe('compliant')
  })
})

const shell = (properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => ({
  ...properties,
  provider: 'shell',
})

describe('undecidable guards', () => {
  test.each<[string, Readonly<Record<string, unknown>>, string, RegExp]>([
    ['a guard without a program', { onlyif: 'no-such-program' }, 'command', /^onlyif: .*program not found in \/usr/],
    ['a guard that lacks its program', { unless: '/no/such/tool' }, 'command', /unless: .*no such file or directory/],
    ['a guard that is not executable', { unless: '/etc/passwd' }, 'command', /unless: .*permission denied/],
    ['a guard without its directory', { unless: 'true', cwd: '/no/such' }, 'command', /\/no\/such does not exist/],
    [
      'a guard that a signal ends',
      { unless: "sh -c 'kill -9 $$'" },
      'command',
      /unless: sh was killed: ended by SIGKILL/,
    ],
    [
      'a guard that takes too long',
      { unless: 'sleep 60', timeout: '200ms' },
      'timeout',
      /unless: .*timed out after 0.2 s/,
    ],
    [
      'an onlyif whose program cannot run',
      { onlyif: 'sh -c "exit 126"' },
      'command',
      /^onlyif: exited with 126: .*cannot be run$/,
    ],
    [
      'an unless whose program is not found',
      { unless: 'env no-such-program' },
      'command',
      /^unless: exited with 127: .*not found: .*env: .*no-such-program/,
    ],
    [
      'a shell guard whose program is not found',
      shell({ onlyif: 'no-such-program' }),
      'command',
      /^onlyif: exited with 127: .*no-such-program/,
    ],
    [
      'a shell guard whose program is a file like any other',
      shell({ unless: '/etc/passwd' }),
      'command',
      /^unless: exited with 126: .*ermission denied/,
    ],
    [
      'a shell guard that a signal ends',
      shell({ unless: 'kill -9 $$' }),
      'command',
      /unless: \/bin\/sh was killed: ended by SIGKILL/,
    ],
    [
      'a shell guard whose program a signal ends',
      shell({ unless: 'sh -c "kill -9 \\$\\$"; exit $?' }),
      'command',
      /unless: exited with 137: .*signal 9/,
    ],
    [
      'a shell guard with a syntax error',
      shell({ unless: 'if true; then' }),
      'command',
      /unless: cannot be parsed by the shell: .*yntax/,
    ],
    ['an onlyif with a syntax error', shell({ onlyif: 'echo $(' }), 'command', /onlyif: cannot be parsed by the shell/],
    ['an unterminated guard', { unless: "test 'a" }, 'invalid', /^invalid guard command: Unterminated single-quoted/],
    ['an empty guard', { unless: '{{ "" }} ' }, 'invalid', /empty guard command/],
    ['a guard of no words', { unless: '\\\n' }, 'invalid', /^empty guard command$/],
    ['an unterminated command', { command: 'a "b' }, 'invalid', /^command: Unterminated double-quoted string$/],
    ['no command', { command: ' ' }, 'invalid', /^no command specified$/],
  ])('%s', async (_name, properties, reason, message) => {
    expect(await createScene().audit(properties)).toMatchObject({
      verdict: 'error',
      reason,
      message: expect.stringMatching(message),
      drift: [],
      actions: [],
    })
  })

  test.each([
    ['grep, which found no file', { unless: 'grep -q x /no/such/file' }, 2],
    ['a shell guard that exits with 2 by itself', shell({ unless: 'exit 2' }), 2],
    ['a code above those of signals', shell({ unless: 'exit 255' }), 255],
    ['a code of a signal without a shell', { unless: 'sh -c "exit 137"' }, 137],
  ])('an answer all the same: %s', async (_name, properties, code) => {
    expect(await createScene().audit(properties)).toMatchObject({
      verdict: 'drifted',
      message: `run: want not needed, found needed because unless exited with ${code}`,
    })
  })

  test('a fix runs nothing where a guard could not be run', async () => {
    const scene = createScene()
    const command = `touch ${scene.path('ran')}`
    for (const guard of ['no-such-program', 'if true; then', 'exit 126']) {
      expect(await scene.fix(shell({ command, unless: guard }))).toMatchObject({ verdict: 'error', reason: 'command' })
    }
    expect(scene.exists('ran')).toBe(false)
  })

  test('a missing program may come with the resources that the exec requires', async () => {
    const scene = createScene()
    const tool = { name: scene.path('bin'), ensure: 'directory', mode: '0755', ...mine() }
    const exec = shell({ name: 'run', unless: 'no-such-program', require: [`file#${tool.name}`] })
    const [, result] = await scene.run([{ file: tool }, { exec }])
    expect(result).toMatchObject({ verdict: 'drifted', change: 'may' })
  })

  test('without permission to run commands, guards are unknown, and a fix runs nothing', async () => {
    const scene = createScene()
    const touch = `touch ${scene.path('ran')}`
    const forbidden = { runCommands: false }
    for (const guard of [{ onlyif: touch }, { unless: touch }, { onlyif: touch, refreshonly: true }]) {
      expect(await scene.audit(guard, forbidden)).toMatchObject({ verdict: 'error', reason: 'not-observable' })
    }
    expect((await scene.audit({ creates: scene.directory, unless: touch }, forbidden)).verdict).toBe('compliant')
    expect(await scene.audit({ creates: scene.path('ran') }, forbidden)).toMatchObject({
      verdict: 'drifted',
      change: 'cannot',
      changeReason: expect.stringContaining('--no-commands'),
    })
    expect((await scene.fix({ command: touch }, forbidden)).verdict).toBe('fix-failed')
    const source = { file: { name: scene.path('changed'), ensure: 'present', content: '', mode: '0600', ...mine() } }
    const subscriber = { exec: { name: touch, refreshonly: true, subscribe: [`file#${scene.path('changed')}`] } }
    const [, refreshed] = await scene.run([source, subscriber], { ...forbidden, fix: true })
    expect(refreshed).toMatchObject({ verdict: 'fix-failed', message: expect.stringContaining('--no-commands') })
    expect(scene.exists('ran')).toBe(false)
  })
})

function mine(): { owner: string; group: string } {
  const { uid, gid } = userInfo()
  return { owner: String(uid), group: String(gid) }
}

describe('obstacles of a fix', () => {
  test('a program or directory that is not there', async () => {
    const scene = createScene()
    const cannot = { verdict: 'drifted', change: 'cannot' }
    expect(await scene.audit({ command: '/no/such/tool' })).toMatchObject({
      ...cannot,
      changeReason: '/no/such/tool does not exist',
    })
    expect(await scene.audit({ cwd: 'missing' })).toMatchObject({
      ...cannot,
      changeReason: `the directory ${scene.path('missing')} does not exist`,
    })
    expect(await scene.audit({ cwd: '/etc/passwd' })).toMatchObject({
      ...cannot,
      changeReason: '/etc/passwd is not a directory',
    })
  })

  test('an earlier resource that is still to be fixed may provide program, guard and directory', async () => {
    const scene = createScene()
    const [tool, sub] = [scene.path('tool'), scene.path('sub')]
    const results = await scene.run([
      { file: { name: tool, ensure: 'present', content: '#!/bin/sh\n', mode: '0755', ...mine() } },
      { file: { name: sub, ensure: 'directory', mode: '0755', ...mine() } },
      { exec: { name: tool } },
      { exec: { name: 'true', alias: 'guarded', unless: tool } },
      { exec: { name: 'true', alias: 'inside', cwd: sub } },
      { exec: { name: `${scene.path('other')} x`, unless: tool } },
    ])
    expect(results.slice(2).map(({ verdict, change }) => [verdict, change])).toEqual([
      ['drifted', 'may'],
      ['drifted', 'may'],
      ['drifted', 'may'],
      ['drifted', 'cannot'],
    ])
  })
})

describe('secrets', () => {
  test('they are in no message', async () => {
    const scene = createScene()
    const data = '\n  # @sensitive\n  token: s3cret-t0ken\n'
    const result = await scene.audit({ unless: '/no/{{ Data.token }}', creates: '/x/{{ Data.token }}' }, { data })
    expect(JSON.stringify(result)).not.toContain('s3cret-t0ken')
    expect(result.message).toContain('/no/(secret)')
  })

  test('a sensitive exec does not name the path it creates', async () => {
    const scene = createScene()
    const result = await scene.audit({ creates: '/no/such/path', sensitive: true })
    expect(result).toMatchObject({ verdict: 'drifted', drift: [{ property: 'run', observed: { redacted: true } }] })
    expect(JSON.stringify(result)).not.toContain('/no/such/path')
  })
})

test('an unreadable path is not missing', async () => {
  const scene = createScene()
  // Where the policy is written, too.
  chmodSync(scene.path('.'), 0o777)
  mkdirSync(scene.path('closed'))
  chmodSync(scene.path('closed'), 0)
  const result = await asOrdinaryUser(() => scene.audit({ creates: scene.path('closed/x') }))
  expect(result).toMatchObject({
    verdict: 'error',
    reason: 'permission-denied',
  })
})
