import { writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { describe, expect, test } from 'vitest'
import { text } from '../../../../src/report/formats/text/index.ts'
import { hasEnded } from '../../../support/alive.ts'
import { policyResult, runOf } from '../../../support/run.ts'
import { createScene, type Scene } from './scene.ts'

describe('running', () => {
  test('a fix runs the command once, and a second scan finds nothing to do', async () => {
    const scene = createScene()
    const properties = { command: `touch ${scene.path('made')}`, creates: scene.path('made') }
    expect(await scene.fix(properties)).toMatchObject({
      verdict: 'fixed',
      actions: ['Executed'],
      drift: [{ property: 'run' }],
    })
    expect(scene.exists('made')).toBe(true)
    expect((await scene.fix(properties)).verdict).toBe('compliant')
    expect((await scene.audit(properties)).verdict).toBe('compliant')
  })

  test('the name is the command of an exec without one', async () => {
    const scene = createScene()
    expect((await scene.fix({ name: `touch '${scene.path('a b')}'` })).verdict).toBe('fixed')
    expect(scene.exists('a b')).toBe(true)
  })

  test('words arrive as they are, a shell interprets', async () => {
    const scene = createScene()
    scene.script('show', `printf '[%s]' "$@" > ${scene.path('shown')}`)
    await scene.fix({ name: `${scene.path('show')} $PATH '*' "a  b" x;y` })
    expect(scene.read('shown')).toBe('[$PATH][*][a  b][x;y]')
    await scene.fix({ name: 'x', command: `echo $LANG | tr C c > ${scene.path('shown')}`, provider: 'shell' })
    expect(scene.read('shown')).toBe('c\n')
  })

  test('it sees a small environment, no input, and starts in the root directory', async () => {
    const scene = createScene()
    const command = `(pwd; cat; env | grep -vE '^(PWD|OLDPWD|SHLVL|_)=' | sort) > ${scene.path('seen')}`
    await scene.fix({ command, provider: 'shell', environment: ['B=2', 'A=1', 'LANG=de_DE', 'B=3'] })
    expect(scene.read('seen').trimEnd().split('\n')).toEqual([
      '/',
      'A=1',
      'B=3',
      'LANG=de_DE',
      'LC_ALL=C',
      'PATH=/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin:/usr/local/sbin',
    ])
  })

  test('the search path finds the program and is its PATH', async () => {
    const scene = createScene()
    scene.script('tool', `echo "$PATH" > ${scene.path('seen')}`)
    const path = `${scene.directory}:/no/such/directory`
    expect((await scene.fix({ name: 'tool', path, environment: ['PATH=/nowhere'] })).verdict).toBe('fixed')
    expect(scene.read('seen')).toBe(`${path}\n`)
    expect(await scene.fix({ name: 'tool' })).toMatchObject({
      verdict: 'fix-failed',
      message: expect.stringContaining('program not found in /usr/bin:/bin'),
    })
  })
})

describe('afterwards', () => {
  test.each<[string, Readonly<Record<string, unknown>>, string, RegExp | undefined]>([
    ['an exit code that is not allowed', { command: 'sh -c "exit 4"' }, 'fix-failed', /^exit code 4 not in allowed/],
    ['an exit code that is allowed', { command: 'sh -c "exit 4"', returns: [0, 4] }, 'fixed', undefined],
    ['0 where it is not allowed', { command: 'true', returns: [4, 5] }, 'fix-failed', /code 0 not in .* \[4 5\]$/],
    ['no returns', { command: 'true', returns: [] }, 'fixed', undefined],
    ['a signal', { command: "sh -c 'kill -9 $$'" }, 'fix-failed', /^the command was killed: ended by SIGKILL$/],
    ['a program that is missing', { command: 'no-such-program' }, 'fix-failed', /program not found/],
    ['a file that is not executable', { command: '/etc/passwd' }, 'fix-failed', /permission denied/],
    ['unless not satisfied', { command: 'true', unless: 'false' }, 'fix-failed', /desired state: run$/],
    ['onlyif still satisfied', { command: 'true', onlyif: 'true' }, 'fixed', undefined],
    ['nothing created', { command: 'true', creates: '/no/such' }, 'fix-failed', /desired state: run$/],
  ])('%s', async (_name, properties, verdict, message) => {
    const result = await createScene().fix(properties)
    expect(result.verdict).toBe(verdict)
    if (message !== undefined) expect(result.message).toMatch(message)
  })

  test('unless must be satisfied also where creates exists', async () => {
    const scene = createScene()
    const properties = { command: `touch ${scene.path('made')}`, creates: scene.path('made'), unless: 'false' }
    expect(await scene.fix(properties)).toMatchObject({
      verdict: 'fix-failed',
      remaining: [{ property: 'run', observed: 'needed because unless exited with 1' }],
    })
  })

  test('a command that outlives its timeout is killed with all it started', async () => {
    const scene = createScene()
    const command = `sh -c 'sleep 600 & echo $! > ${scene.path('pid')}; wait' & wait`
    const result = await scene.fix({ command, provider: 'shell', timeout: '1500ms' })
    expect(result).toMatchObject({
      verdict: 'fix-failed',
      message: 'the command was killed: timed out after 1.5 seconds',
    })
    expect(await hasEnded(scene.read('pid').trim())).toBe(true)
  })
})

describe('subscriptions', () => {
  const file = (scene: Scene): Readonly<Record<string, unknown>> => {
    const { uid, gid } = userInfo()
    const attributes = { owner: String(uid), group: String(gid), mode: '0600' }
    return { file: { name: scene.path('config'), ensure: 'present', content: 'new\n', ...attributes } }
  }

  test('only a change runs it, with any result of its guards', async () => {
    const scene = createScene()
    const command = `sh -c 'echo ran >> ${scene.path('log')}'`
    const subscriber = {
      exec: {
        name: 'reload',
        command,
        refreshonly: true,
        creates: scene.directory,
        subscribe: [`file#${scene.path('config')}`],
      },
    }
    const resources = [file(scene), subscriber]
    expect((await scene.run(resources))[1]).toMatchObject({
      verdict: 'compliant',
      drift: [],
      actions: ['Would have executed via subscribe'],
    })
    expect(scene.exists('log')).toBe(false)
    expect((await scene.run(resources, { fix: true }))[1]).toMatchObject({
      verdict: 'fixed',
      drift: [],
      actions: ['Executed via subscribe'],
    })
    expect((await scene.run(resources, { fix: true }))[1]).toMatchObject({ verdict: 'compliant', actions: [] })
    expect(scene.read('log')).toBe('ran\n')
    writeFileSync(scene.path('config'), 'changed\n')
    await scene.run(resources, { fix: true })
    expect(scene.read('log')).toBe('ran\nran\n')
  })

  test('its guards alone decide its own drift', async () => {
    const scene = createScene()
    const subscribe = [`file#${scene.path('config')}`]
    const [, result] = await scene.run([file(scene), { exec: { name: 'true', unless: 'false', subscribe } }])
    expect(result).toMatchObject({
      verdict: 'drifted',
      drift: [{ observed: 'needed because unless exited with 1' }],
      actions: ['Would have executed via subscribe'],
    })
  })

  test('a command that fails is a fix that failed', async () => {
    const scene = createScene()
    const subscribe = [`file#${scene.path('config')}`]
    const [, result] = await scene.run([file(scene), { exec: { name: 'false', refreshonly: true, subscribe } }], {
      fix: true,
    })
    expect(result).toMatchObject({
      verdict: 'fix-failed',
      remaining: [],
      message: expect.stringMatching(/^exit code 1/),
    })
  })
})

describe('output', () => {
  const command = 'sh -c "echo out; echo err >&2"'

  test('it is kept where logoutput asks for it, and of a failure', async () => {
    const scene = createScene()
    expect(await scene.fix({ command })).not.toHaveProperty('output')
    expect(await scene.fix({ command, logoutput: true })).toMatchObject({ output: 'out\nerr\n' })
    expect(await scene.fix({ command, returns: [9] })).toMatchObject({ verdict: 'fix-failed', output: 'out\nerr\n' })
    expect(await scene.fix({ command: 'true', logoutput: true })).not.toHaveProperty('output')
  })

  test('the report shows it, line by line and harmless', async () => {
    const scene = createScene()
    const result = await scene.fix({ command: String.raw`printf 'a\033[2J\n  b\377\n'`, logoutput: true, undo: 'true' })
    const run = runOf({ policies: [policyResult({ resources: [result] })] })
    const report = await text.render(run, { verbose: false, paint: (_tone, shown) => shown })
    expect(report).toContain('      output: a\\x1b[2J\n                b\\udcff\n')
  })

  test('of a flood only both ends are kept', async () => {
    const { output = '' } = await createScene().fix({ command: 'seq 1000000', logoutput: true })
    expect(output).toMatch(/^1\n2\n[^]*\n\[\d+ bytes left out\]\n[^]*\n999999\n1000000\n$/)
    expect(output.length).toBeLessThan(65 * 1024)
  })

  test('secrets are redacted, and an exec that is sensitive or given a secret has no output', async () => {
    const scene = createScene()
    const data = '\n  # @sensitive\n  token: s3cret-t0ken\n'
    const tell = { command: `sh -c "printf 'it is s3cret-%s' t0ken"`, logoutput: true }
    expect((await scene.fix(tell, { data })).output).toBe('it is (secret)')
    expect(await scene.fix({ ...tell, sensitive: true }, { data })).not.toHaveProperty('output')
    // It can print the secret in an unrecognisable form.
    const encode = { command: 'sh -c "echo $TOKEN | base64"', environment: ['TOKEN={{ Data.token }}'], logoutput: true }
    expect(await scene.fix(encode, { data })).not.toHaveProperty('output')
  })
})
