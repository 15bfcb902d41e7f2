import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it } from 'vitest'
import { driftgate } from '../support/command-line.ts'
import { temporaryDirectory } from '../support/temporary.ts'

interface Place {
  readonly home: string
  readonly run: (...args: readonly string[]) => ReturnType<typeof driftgate>
  readonly fix: (contents: Readonly<Record<string, string>>, ...more: readonly string[]) => ReturnType<typeof driftgate>
  readonly read: (name: string) => string
}

/** A directory with state of its own. */
function makePlace(): Place {
  const home = temporaryDirectory()
  const state = join(home, 'state')
  const owner = { owner: String(process.getuid?.() ?? 0), group: String(process.getgid?.() ?? 0), mode: '0644' }
  const run: Place['run'] = (...args) => driftgate([...args, '--state-dir', state], { cwd: home })
  return {
    home,
    run,
    fix(contents, ...more) {
      const file = Object.entries(contents).map(([name, content]) => ({
        [join(home, name)]: { ensure: 'present', content, ...owner },
      }))
      writeFileSync(join(home, 'policy.yaml'), JSON.stringify({ ccm: { resources: [{ file }] } }))
      return run('scan', 'policy.yaml', '--fix', '--quiet', ...more)
    },
    read: (name) => readFileSync(join(home, name), 'utf8'),
  }
}

interface Listed {
  readonly run: string
}

async function runsOf({ run }: Place): Promise<readonly string[]> {
  return (JSON.parse((await run('fixes', '--json')).stdout) as readonly Listed[]).map((each) => each.run)
}

it('says what it would restore, restores that, and says what it has restored', async () => {
  const place = makePlace()
  writeFileSync(join(place.home, 'a'), 'old\n')
  expect(await place.fix({ a: 'new\n', b: 'made\n' })).toMatchObject({ code: 0 })
  const [fix = ''] = await runsOf(place)
  const dry = await place.run('undo', '--dry-run')
  expect(dry).toMatchObject({ code: 0 })
  expect(dry.stdout).toMatch(new RegExp(`^Dry run: undo of fix ${fix} of 20`))
  expect(dry.stdout).toMatch(/to restore {2}.*\/a\n {4}before the fix: file, 4 bytes.*\n {4}now: {12}file, 4 bytes/)
  expect([place.read('a'), place.read('b')]).toEqual(['new\n', 'made\n'])
  expect((await place.run('fixes', 'show', fix)).stdout).toContain('It can be undone: 2 to restore.')

  const undone = await place.run('undo', '--json')
  expect(JSON.parse(undone.stdout)).toMatchObject({
    summary: '2 restored',
    exit: 0,
    resources: [
      { resource: `file#${join(place.home, 'b')}`, things: [{ outcome: 'restored', before: 'absent' }] },
      { resource: `file#${join(place.home, 'a')}`, things: [{ outcome: 'restored' }] },
    ],
  })
  expect([place.read('a'), existsSync(join(place.home, 'b'))]).toEqual(['old\n', false])
  // Once more it finds everything as it was, and changes nothing.
  expect((await place.run('undo', fix)).stdout).toMatch(/\n2 already as before, exit 0\n$/)
  expect((await place.run('fixes', 'show', fix)).stdout).toMatch(/It was undone by .*\n.*2 already as before/)
})

it('shows a conflict with what it was before the fix, after it, and now, before the undo and after it', async () => {
  const place = makePlace()
  writeFileSync(join(place.home, 'a'), 'old\n')
  await place.fix({ a: 'newer\n' })
  writeFileSync(join(place.home, 'a'), 'by hand\n')
  const [fix = ''] = await runsOf(place)
  const conflict =
    /conflict {2}.*: changed since the fix\n {4}before the fix: file, 4 .*\n {4}after the fix: {2}file, 6 .*\n {4}now: {12}file, 8 /
  expect((await place.run('fixes', 'show', fix)).stdout).toMatch(/It cannot be undone as a whole: 1 conflict/)
  for (const args of [['--dry-run'], []]) {
    const { code, stdout } = await place.run('undo', fix, ...args)
    expect([code, stdout]).toEqual([4, expect.stringMatching(conflict)])
  }
  expect(place.read('a')).toBe('by hand\n')
})

it('never takes an older fix for the latest, and asks which where a script does not say', async () => {
  const place = makePlace()
  await place.fix({ a: '1\n' })
  await place.fix({ a: '2\n' })
  expect(await place.run('undo')).toMatchObject({ code: 1, stderr: expect.stringContaining('pass --latest') })
  const [, first = ''] = await runsOf(place)
  await place.fix({ a: '2\n' })
  for (const args of [['undo'], ['undo', '--latest']]) {
    const { code, stderr } = await place.run(...args)
    expect([code, stderr]).toEqual([1, expect.stringMatching(/changed nothing: there is nothing to undo; .*undo /)])
  }
  expect(place.read('a')).toBe('2\n')
  expect(await place.run('undo', first, '--latest')).toMatchObject({ code: 1 })
})

it('finds the latest fix that changed a path, and undoes that alone', async () => {
  const place = makePlace()
  await place.fix({ a: '1\n', b: '1\n' })
  await place.fix({ b: '2\n' })
  expect(await place.run('undo', '--path', 'a', '--quiet')).toMatchObject({ code: 0, stdout: '1 restored, exit 0\n' })
  expect([existsSync(join(place.home, 'a')), place.read('b')]).toEqual([false, '2\n'])
  expect((await place.run('undo', '--path', 'a')).stderr).toMatch(/was last changed by .*, which undid the fix/)
  expect((await place.run('undo', '--path', 'c')).stderr).toContain('no stored fix changed')
})

it('refuses a state directory that it cannot trust, and says which one to make', async () => {
  const place = makePlace()
  mkdirSync(join(place.home, 'state'))
  chmodSync(join(place.home, 'state'), 0o775)
  const refused = await place.fix({ a: '1\n' })
  expect(refused.code).toBe(1)
  expect(refused.stdout + refused.stderr).toMatch(/other users can write to it; run "chmod go-w .*state" first/)
  expect(existsSync(join(place.home, 'a'))).toBe(false)
  expect((await place.run('fixes')).stderr).toContain('other users can write to it')
})

it('refuses to change what another fix has changed that is not confirmed yet, by its name', async () => {
  const place = makePlace()
  await place.fix({ a: '1\n' })
  const [first = ''] = await runsOf(place)
  // As --confirm-within leaves it, without what waits.
  mkdirSync(join(place.home, 'state/deadlines'))
  const setAt = { wallMs: Date.now() }
  writeFileSync(join(place.home, 'state/deadlines', first), JSON.stringify({ withinMs: 3_600_000, setAt }))
  const second = await place.fix({ a: '2\n', b: '2\n' }, '--report', 'json=report.json')
  expect(second, second.stderr).toMatchObject({ code: 4 })
  expect(place.read('report.json')).toContain(`was changed by the fix ${first}, which is pending confirmation`)
  expect([place.read('a'), place.read('b')]).toEqual(['1\n', '2\n'])
  expect(await place.run('confirm')).toMatchObject({ code: 0 })
  expect(await place.fix({ a: '2\n' })).toMatchObject({ code: 0 })
})
