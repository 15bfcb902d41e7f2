import { modeOf } from '../../support/tree.ts'
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NO_JOURNAL } from '../../../src/host/live/journal.ts'
import { createLocalRemediator } from '../../../src/host/live/local-remediator.ts'
import { NO_HANDS } from '../../support/target.ts'
import { createScene, planText } from './scene.ts'
import { cases } from '../../support/soak.ts'

const DONE = { kind: 'done' }
const SETTLED = { drift: [], unknown: [], plan: { kind: 'none' } }

describe('rendering', () => {
  test('a target that is missing is made with its parents and all it contains', async () => {
    const scene = createScene({ a: 'a', 'd/e/': '', 'd/f/b': 'b', '_partials/p': 'p' })
    const name = join(scene.root, 'x', 'y', 'target')
    const { outcome, after } = await scene.fix({ name })
    expect(outcome).toEqual(DONE)
    expect(after).toMatchObject(SETTLED)
    expect(readFileSync(join(name, 'd/f/b'), 'utf8')).toBe('b')
    expect(statSync(join(name, 'd/e')).isDirectory()).toBe(true)
    expect(existsSync(join(name, '_partials'))).toBe(false)
    expect([modeOf(join(name, 'a')), modeOf(name)]).toEqual([
      0o666 & ~process.umask() & 0o644,
      0o755 & ~process.umask(),
    ])
  })

  test('only differing files are written', async () => {
    const scene = createScene({ same: 's', changed: 'new', 'd/added': 'a' }, { same: 's', changed: 'old', other: 'o' })
    const before = lstatSync(join(scene.target, 'same'))
    const { outcome, after } = await scene.fix()
    expect(outcome).toEqual(DONE)
    expect(after).toMatchObject(SETTLED)
    expect(scene.read()).toEqual({ same: 's', changed: 'new', 'd/': '', 'd/added': 'a', other: 'o' })
    const { ino, ctimeMs } = lstatSync(join(scene.target, 'same'))
    expect({ ino, ctimeMs }).toEqual({ ino: before.ino, ctimeMs: before.ctimeMs })
  })

  test('an existing file keeps its mode', async () => {
    const scene = createScene({ a: 'new' }, { a: 'old' })
    chmodSync(join(scene.target, 'a'), 0o600)
    await scene.fix()
    expect(modeOf(join(scene.target, 'a'))).toBe(0o600)
    expect(scene.read()).toEqual({ a: 'new' })
  })

  test('the mode of a template does not matter', async () => {
    const scene = createScene({ 'x.sh': '#!' }, {})
    chmodSync(join(scene.root, 'source', 'x.sh'), 0o700)
    await scene.fix()
    expect(modeOf(join(scene.target, 'x.sh'))).toBe(0o666 & ~process.umask() & 0o644)
  })

  test('purge removes other files and links, not the directories they were in', async () => {
    const scene = createScene({ a: 'a' }, { a: 'a', 'x/y': '', z: '' })
    scene.put({ 'outside/b': 'b' })
    symlinkSync('../outside', join(scene.target, 'l'))
    const { before, after } = await scene.fix({ purge: true })
    expect(planText(before)).toBe('Would have changed 3 scaffold files')
    expect(after).toMatchObject(SETTLED)
    expect(scene.read()).toEqual({ a: 'a', 'x/': '' })
    expect(readFileSync(join(scene.root, 'outside/b'), 'utf8')).toBe('b')
  })

  test('a link to other content is replaced, not followed', async () => {
    const scene = createScene({ a: 'new', b: 'b' }, {})
    scene.put({ wrong: 'old' })
    symlinkSync('../wrong', join(scene.target, 'a'))
    symlinkSync('nowhere', join(scene.target, 'b'))
    expect((await scene.fix()).after).toMatchObject(SETTLED)
    expect(scene.read()).toEqual({ a: 'new', b: 'b' })
    expect(readFileSync(join(scene.root, 'wrong'), 'utf8')).toBe('old')
  })

  test('without permission to run commands, a file with a post command is not written', async () => {
    const scene = createScene({ a: 'a', 'b.conf': 'b' }, {})
    const post = [{ '*.conf': 'true' }]
    const { outcome } = await scene.fix({ post }, { commandsForbidden: true })
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('--no-commands') })
    expect(scene.read()).toEqual({ a: 'a' })
  })

  test('a template that fails leaves the target as it was', async () => {
    const scene = createScene({ a: 'new', b: '[[ nope ]]' }, { a: 'old' })
    expect(await scene.undecided()).toMatchObject({ reason: 'template' })
    expect(scene.read()).toEqual({ a: 'old' })
  })

  test('an interrupted run writes nothing more', async () => {
    const scene = createScene({ a: 'a' }, {})
    const controller = new AbortController()
    const examination = await scene.examine({}, { signal: controller.signal })
    controller.abort()
    const outcome = examination.kind === 'decided' ? await examination.apply(NO_HANDS) : undefined
    expect(outcome).toEqual({ kind: 'failed', message: 'the run was interrupted' })
  })
})

describe('removing', () => {
  test('files go, then the directories they leave empty, then the target', async () => {
    const scene = createScene({ a: 'a', 'd/e/b': 'b', 'f/c': 'c' }, { a: 'changed', 'd/e/b': 'b', 'f/c': 'c' })
    const { outcome, after } = await scene.fix({ ensure: 'absent' })
    expect(outcome).toEqual(DONE)
    expect(after).toMatchObject(SETTLED)
    expect(existsSync(scene.target)).toBe(false)
  })

  test('files of others stay, with their directories', async () => {
    const scene = createScene({ a: 'a', 'd/e/b': 'b' }, { a: 'a', 'd/e/b': 'b', 'd/mine': 'm', 'empty/': '' })
    const { after } = await scene.fix({ ensure: 'absent', purge: true })
    expect(after).toMatchObject(SETTLED)
    expect(scene.read()).toEqual({ 'd/': '', 'd/mine': 'm', 'empty/': '' })
  })

  test('a directory whose files were gone before stays', async () => {
    const scene = createScene({ a: 'a', 'd/b': 'b' }, { a: 'a', 'd/': '' })
    await scene.fix({ ensure: 'absent' })
    expect(scene.read()).toEqual({ 'd/': '' })
  })

  test('one file that cannot be removed does not keep the others', async () => {
    const scene = createScene({ a: 'a', 'd/b': 'b' }, { a: 'a', 'd/b': 'b' })
    const examination = await scene.examine({ ensure: 'absent' })
    if (examination.kind !== 'decided') throw new Error(examination.detail)
    const removed: string[] = []
    const outcome = await examination.apply({
      ...NO_HANDS,
      async remove(path) {
        removed.push(path)
        return { kind: 'failed', message: `cannot remove ${path}` }
      },
    })
    expect(removed).toEqual([join(scene.target, 'a'), join(scene.target, 'd/b')])
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringMatching(/target\/a; .*target\/d\/b$/) })
  })
})

describe('post', () => {
  const log = (root: string): string[] => {
    const path = join(root, 'log')
    return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : []
  }
  // Writes its working directory and its arguments to the log.
  const logger = `#!/bin/sh\necho "$(pwd -P) $*" >> "$(dirname "$0")/log"\n`

  test('runs for written files that match, in the order of the list', async () => {
    const scene = createScene({ 'a.go': 'a', 'd/b.go': 'b', 'c.txt': 'c', 'same.go': 's' }, { 'same.go': 's' })
    scene.put({ 'say.sh': logger })
    chmodSync(join(scene.root, 'say.sh'), 0o755)
    const say = join(scene.root, 'say.sh')
    const post = [{ '*.go': `${say} first`, 'c*': `${say} 'it is' x={} {}` }, { '[!-~]*': `${say} "last"` }]
    const { outcome, after } = await scene.fix({ post })
    expect(outcome).toEqual(DONE)
    expect(after).toMatchObject(SETTLED)
    const { target } = scene
    expect(log(scene.root)).toEqual([
      `${target} first ${target}/a.go`,
      `${target} last ${target}/a.go`,
      `${target} it is x=${target}/c.txt ${target}/c.txt`,
      `${target} last ${target}/c.txt`,
      `${target} first ${target}/d/b.go`,
      `${target} last ${target}/d/b.go`,
    ])
  })

  test('no shell reads the command', async () => {
    const scene = createScene({ 'a;b $(c)': 'a' }, {})
    const { outcome } = await scene.fix({ post: [{ '*': 'test -f {}' }] })
    expect(outcome).toEqual(DONE)
  })

  test('may change the mode', async () => {
    const scene = createScene({ 'x.sh': '#!' })
    const { after } = await scene.fix({ post: [{ '*.sh': 'chmod 700' }] })
    expect(modeOf(join(scene.target, 'x.sh'))).toBe(0o700)
    expect(after).toMatchObject(SETTLED)
  })

  test('a failure names the file and takes it back, and nothing else is written', async () => {
    const scene = createScene({ a: 'a', b: 'b', c: 'new', d: 'd' }, { c: 'old' })
    chmodSync(join(scene.target, 'c'), 0o600)
    const failing = await scene.fix({ post: [{ '[bc]': "sh -c 'echo bad >&2; exit 3'" }] })
    expect(failing.outcome).toEqual({
      kind: 'failed',
      message: `failed to post process ${scene.target}/b: sh exited with code 3: bad`,
    })
    expect(scene.read()).toEqual({ a: 'a', c: 'old' })
    const other = await scene.fix({ post: [{ c: 'false' }] })
    expect(other.outcome).toMatchObject({
      message: expect.stringContaining(`post process ${scene.target}/c: false exited`),
    })
    expect(scene.read()).toEqual({ a: 'a', b: 'b', c: 'old' })
    expect(modeOf(join(scene.target, 'c'))).toBe(0o600)
    expect(other.after.drift.map(({ path }) => path)).toEqual(['c', 'd'])
  })

  test('a command that is not there is a failure too', async () => {
    const scene = createScene({ a: 'a' }, {})
    const { outcome } = await scene.fix({ post: [{ a: '/no/such/command' }] })
    expect(outcome).toEqual({
      kind: 'failed',
      message: `failed to post process ${scene.target}/a: cannot run /no/such/command in ${scene.target}: no such file or directory`,
    })
    expect(scene.read()).toEqual({})
  })

  test('a command that changes the content leaves a drift that explains itself', async () => {
    const scene = createScene({ a: 'a' }, {})
    const { outcome, after } = await scene.fix({ post: [{ a: 'sh -c \'echo more >> "$0"\' {}' }] })
    expect(outcome).toEqual(DONE)
    expect(after.drift).toMatchObject([{ property: 'content', note: expect.stringContaining('post command') }])
  })

  test('is killed when the run is interrupted', async () => {
    const scene = createScene({ a: 'a' }, {})
    const controller = new AbortController()
    const examination = await scene.examine({ post: [{ a: 'sleep 600 {}' }] }, { signal: controller.signal })
    if (examination.kind !== 'decided') throw new Error(examination.detail)
    const remediator = createLocalRemediator(NO_JOURNAL)
    const outcome = await examination.apply({
      ...remediator,
      run(command) {
        const ending = remediator.run({ ...command, argv: ['sleep', '600'] })
        controller.abort()
        return ending
      },
    })
    expect(outcome).toMatchObject({ message: expect.stringContaining('was killed: the run was interrupted') })
    expect(scene.read()).toEqual({})
  })
})

test('a rendered file cannot be made to leave the target by a link that appears later', async () => {
  const scene = createScene({ 'd/a': 'a' }, {})
  mkdirSync(join(scene.root, 'outside'), { mode: 0o777 })
  const examination = await scene.examine()
  if (examination.kind !== 'decided') throw new Error(examination.detail)
  // All users may put a link into a directory like this.
  chmodSync(scene.target, 0o1777)
  symlinkSync('../outside', join(scene.target, 'd'))
  const outcome = await examination.apply(createLocalRemediator(NO_JOURNAL))
  expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('symbolic link') })
  expect(existsSync(join(scene.root, 'outside', 'a'))).toBe(false)
})

test('a fix reaches the desired state with any file names and touches nothing beside the target', async () => {
  const name = fc
    .string({
      unit: fc.constantFrom(...Array.from('.-_ a\n\\*?{}[]$\'"é\u{1f600}\ufffd:')),
      minLength: 1,
      maxLength: 8,
    })
    .filter((text) => text !== '.' && text !== '..')
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'))
  const paths = fc
    .uniqueArray(path, { minLength: 1, maxLength: 5 })
    .filter((list) => !list.some((one) => list.some((other) => other.startsWith(`${one}/`))))
  await fc.assert(
    fc.asyncProperty(paths, paths, async (sources, targets) => {
      const scene = createScene(
        Object.fromEntries(sources.map((source) => [source, 'x'])),
        Object.fromEntries(targets.filter((target) => !clashes(target, sources)).map((target) => [target, 'y'])),
      )
      const { outcome, after } = await scene.fix({ purge: true, post: [{ '*': 'test -f' }] })
      expect(outcome).toEqual(DONE)
      expect(after).toMatchObject(SETTLED)
      expect(readdirSync(scene.root).toSorted()).toEqual(['source', 'target'])
      expect(Object.keys(scene.read()).filter((entry) => !entry.endsWith('/'))).toHaveLength(sources.length)
    }),
    { numRuns: cases({ usual: 6, soak: 250 }) },
  )
})

/** Whether one tree would have a directory where the other has a file. */
function clashes(path: string, others: readonly string[]): boolean {
  return others.some((other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`))
}

test('a link that leads nowhere is there, so a scaffold that must be absent drifts and a fix removes the link', async () => {
  const scene = createScene({ a: 'a' })
  symlinkSync('nowhere', scene.target)
  const { before, outcome, after } = await scene.fix({ ensure: 'absent' })
  expect(before).toMatchObject({
    ensure: { desired: 'absent', observed: 'symlink' },
    drift: [{ property: 'ensure', desired: 'absent', observed: 'symlink', note: 'dangling link' }],
  })
  expect(planText(before)).toBe('Would have removed the link')
  expect(outcome).toEqual(DONE)
  expect(after).toMatchObject(SETTLED)
  expect(lstatSync(scene.target, { throwIfNoEntry: false })).toBeUndefined()
})
