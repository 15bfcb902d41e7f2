import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { known } from '../../../src/model/observation.ts'
import type { TemplateView } from '../../../src/resource-type/define.ts'
import type { GoValue } from '../../../src/templates/govalue/index.ts'
import { createScene, driftWords, obstacles, planText } from './scene.ts'
import { asOrdinaryUser } from '../../support/unprivileged.ts'

describe('comparing', () => {
  test('files that are missing, differ or are not expected', async () => {
    const scene = createScene({ a: 'a', 'd/b': 'new\n', c: 'c' }, { c: 'c', 'd/b': 'old\n', 'x/y': '', z: '' })
    const decision = await scene.audit({ purge: true })
    expect(driftWords(decision)).toEqual(['missing a', 'content d/b', 'unexpected x/y', 'unexpected z'])
    expect(planText(decision)).toBe('Would have changed 4 scaffold files')
    expect(decision.drift[1]).toMatchObject({
      // printf 'new\n' | sha256sum
      desired: { sha256: '7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c', sizeBytes: 4 },
      diff: '--- observed\n+++ desired\n@@ -1 +1 @@\n-old\n+new\n',
    })
  })

  test('without purge other files are no drift', async () => {
    const scene = createScene({ a: 'a' }, { a: 'a', b: 'b' })
    expect(await scene.audit()).toMatchObject({ drift: [], plan: { kind: 'none' } })
  })

  test('a missing target is one drift, with any number of files', async () => {
    const scene = createScene({ a: 'a', b: 'b' })
    const decision = await scene.audit()
    expect(decision.drift).toEqual([{ property: 'ensure', desired: 'present', observed: 'absent' }])
    expect(planText(decision)).toBe('Would have changed 2 scaffold files')
  })

  test('no difference is shown where none may be', async () => {
    const scene = createScene({ a: 'new' }, { a: 'old' })
    const [drift] = (await scene.audit({}, { showDiff: false })).drift
    expect(drift).not.toHaveProperty('diff')
  })

  test.each([
    ['binary', '\0', 'not text, no diff shown'],
    ['large', 'x'.repeat(64 * 1024 + 1), 'too large for a text diff'],
  ])('a %s file has no text difference', async (_name, content, note) => {
    const scene = createScene({ a: 'a' }, { a: content })
    expect((await scene.audit()).drift).toMatchObject([{ property: 'content', note }])
  })

  test('the mode of a file is not compared', async () => {
    const scene = createScene({ a: 'a' }, { a: 'a' })
    chmodSync(join(scene.target, 'a'), 0o600)
    expect((await scene.audit()).drift).toEqual([])
  })

  test('skipped files count as unexpected', async () => {
    const scene = createScene({ e: '[[ if false ]]x[[ end ]]', f: 'f' }, { e: 'old', f: 'f' })
    expect(driftWords(await scene.audit({ skip_empty: true, purge: true }))).toEqual(['unexpected e'])
  })

  test('a scaffold that renders nothing is an error', async () => {
    const { plan } = await createScene({}, {}).audit()
    expect(plan).toMatchObject({ kind: 'refuse', obstacles: [{ fatal: 'invalid' }] })
  })
})

test('an audit writes nothing and runs no command', async () => {
  const scene = createScene({ a: 'new', b: 'b' }, { a: 'old' })
  const post = [{ '*': `touch ${join(scene.root, 'ran')}` }]
  const before = readdirSync(scene.root)
  const [drift] = (await scene.audit({ post })).drift
  expect(drift?.note).toMatch(/post command/)
  expect(readdirSync(scene.root)).toEqual(before)
  expect(scene.read()).toEqual({ a: 'old' })
})

describe('absent', () => {
  test.each<[string, Record<string, string> | undefined, string, boolean]>([
    ['no target', undefined, 'none', false],
    ['no managed file', { other: '' }, 'none', true],
    ['managed files', { a: 'changed', 'd/b': 'b', other: '' }, 'Would have removed 2 scaffold files', false],
    ['managed files and purge', { a: 'changed', 'd/b': 'b', other: '' }, 'Would have removed 3 scaffold files', true],
    ['a directory where a file was', { 'a/x': '' }, 'none', false],
  ])('%s', async (_name, target, text, purge) => {
    const scene = createScene({ a: 'a', 'd/b': 'b' }, target)
    const decision = await scene.audit({ ensure: 'absent', purge })
    expect(planText(decision)).toBe(text)
  })

  test('without a target the source does not matter', async () => {
    expect((await createScene().audit({ ensure: 'absent', source: 'none' })).plan.kind).toBe('none')
  })

  test('a link in the place of a file is there, even if it leads nowhere', async () => {
    const scene = createScene({ a: 'a' }, {})
    symlinkSync('nowhere', join(scene.target, 'a'))
    expect(planText(await scene.audit({ ensure: 'absent' }))).toBe('Would have removed 1 scaffold files')
  })
})

describe('templates', () => {
  const variables = (data: GoValue): Map<string, GoValue> =>
    new Map<string, GoValue>([
      ['facts', new Map([['hostname', 'h1']])],
      ['data', data],
    ])
  const templates = (data: ReadonlyMap<GoValue, GoValue> | undefined): TemplateView => ({
    variables: variables(data ?? new Map([['port', 80n]])),
    functions: new Map(),
  })

  test.each([
    ['jet', '[[ facts.hostname ]] [[ .facts.hostname ]] [[ data.port ]]'],
    ['go', '{{ .facts.hostname }} {{ .facts.hostname }} {{ .data.port }}'],
  ])('facts and data in %s', async (engine, template) => {
    const scene = createScene({ a: template }, { a: 'h1 h1 80' })
    expect((await scene.audit({ engine }, { templates })).drift).toEqual([])
  })

  test('data of the resource takes the place of the policy’s', async () => {
    const scene = createScene({ a: '[[ data.port ]][[ data.list[1] ]]' }, { a: '8080y' })
    const data = { port: 8080, list: ['x', 'y'] }
    expect((await scene.audit({ data }, { templates })).drift).toEqual([])
    expect((await scene.audit({ data })).drift).toEqual([])
  })

  test('empty data changes nothing', async () => {
    const scene = createScene({ a: '[[ data.port ]]' }, { a: '80' })
    expect((await scene.audit({ data: {} }, { templates })).drift).toEqual([])
  })

  test('own delimiters', async () => {
    const scene = createScene({ a: '<<data.x>>[[ data.x ]]' }, { a: '1[[ data.x ]]' })
    const values = { left_delimiter: '<<', right_delimiter: '>>', data: { x: 1 } }
    expect((await scene.audit(values)).drift).toEqual([])
  })

  test.each([
    ['jet', 'x\n[[ nope ]]', /Jet Runtime Error \("\/d\/a":2\)/],
    ['go', '{{ .data.x.y.z }}{{ fail "no" }}', /template: d\/a:1:/],
    ['go', '{{ now }}', /parsing template d\/a failed: .*not supported/],
  ])('an error in %s names the file and the line', async (engine, template, message) => {
    const scene = createScene({ 'd/a': template })
    expect(await scene.undecided({ engine })).toMatchObject({
      reason: 'template',
      detail: expect.stringMatching(message),
    })
  })

  test('an interrupted run ends the rendering', async () => {
    const undecided = await createScene({ a: 'a' }).undecided({}, { signal: AbortSignal.abort() })
    expect(undecided.detail).toBe('the run was interrupted')
  })
})

describe('sources', () => {
  test('a source is relative to the policy, absolute, or anything that means the same', async () => {
    const scene = createScene({ a: 'a' }, { a: 'a' })
    for (const source of ['source', './source', 'x/../source/', join(scene.root, 'source')]) {
      expect((await scene.audit({ source })).drift).toEqual([])
    }
  })

  test('a link to a source is followed', async () => {
    const scene = createScene({ a: 'a' }, { a: 'a' })
    symlinkSync('source', join(scene.root, 'current'))
    expect((await scene.audit({ source: 'current' })).drift).toEqual([])
  })

  test('a source that is missing may still come', async () => {
    const scene = createScene()
    expect(await scene.audit({ source: 'later' })).toMatchObject({
      plan: { obstacles: [{ missing: join(scene.root, 'later'), fatal: 'invalid' }] },
    })
  })

  test('a source that is a file', async () => {
    const scene = createScene()
    scene.put({ 'file.txt': '' })
    expect(obstacles(await scene.audit({ source: 'file.txt' }))).toEqual([
      `source ${scene.root}/file.txt is not a directory`,
    ])
  })

  test('a remote source is refused with its reason, without its password', async () => {
    const scene = createScene()
    scene.put({ 'app.tgz': '' })
    expect(await scene.undecided({ source: 'https://user:secret@example.org/app.tgz' })).toEqual({
      kind: 'unknown',
      reason: 'not-observable',
      detail: 'cannot fetch or unpack the source https://example.org/app.tgz here: use a local directory',
    })
    expect((await scene.undecided({ source: 'app.tgz' })).detail).toContain('cannot fetch or unpack the source')
  })

  test('a fetched directory is a source like any other', async () => {
    const scene = createScene({ a: 'a' }, { a: 'a' })
    const asked: string[] = []
    const fetchDirectory = async (source: string): Promise<ReturnType<typeof known<string>>> => {
      asked.push(source)
      return known(join(scene.root, 'source'))
    }
    const source = 'https://example.org/app.tgz'
    expect((await scene.audit({ source }, { fetchDirectory })).drift).toEqual([])
    expect(asked).toEqual([source])
  })
})

describe('a source and a target inside each other', () => {
  test('templates that purge would remove', async () => {
    const scene = createScene({ a: 'a' })
    expect((await scene.audit({ name: scene.root })).drift).toHaveLength(1)
    expect(await scene.undecided({ name: scene.root, purge: true })).toEqual({
      kind: 'unknown',
      reason: 'invalid',
      detail: `source ${scene.root}/source is inside ${scene.root}, so purge would remove the templates`,
    })
    expect(await scene.undecided({ name: join(scene.root, 'source'), purge: true })).toMatchObject({
      reason: 'invalid',
    })
  })

  test('a target that would be its own template', async () => {
    const scene = createScene({ a: 'a' })
    symlinkSync('source', join(scene.root, 'link'))
    for (const name of ['source/out', 'link/out']) {
      expect(await scene.undecided({ name: join(scene.root, name) })).toMatchObject({
        reason: 'invalid',
        detail: expect.stringMatching(/is inside its source/),
      })
    }
  })
})

describe('hostile sources', () => {
  const readPartial = '[[ render("_partials/p", .) ]]'

  test.each([
    ['a link out', (path: string) => symlinkSync('/etc/passwd', path)],
    ['a link inside', (path: string) => symlinkSync('a', path)],
    ['a link to a directory', (path: string) => symlinkSync('/etc', path)],
    ['a fifo', (path: string) => execFileSync('mkfifo', [path])],
  ])('%s is refused', async (_name, make) => {
    const scene = createScene({ a: 'a' })
    make(join(scene.root, 'source', 'x'))
    expect(await scene.undecided()).toMatchObject({
      reason: 'template',
      detail: expect.stringContaining('invalid file in source: x'),
    })
  })

  test('a partial may be a link inside the source, but none that leads out of it', async () => {
    const scene = createScene({ a: readPartial, b: 'b', '_partials/': '' }, { a: 'b', b: 'b' })
    const link = join(scene.root, 'source', '_partials', 'p')
    symlinkSync('../b', link)
    expect((await scene.audit()).drift).toEqual([])
    rmSync(link)
    symlinkSync('/etc/passwd', link)
    expect(await scene.undecided()).toMatchObject({
      reason: 'invalid',
      detail: expect.stringMatching(/to a path outside/),
    })
    rmSync(link)
    symlinkSync('nowhere', link)
    expect(await scene.undecided()).toMatchObject({
      reason: 'invalid',
      detail: expect.stringMatching(/is a dangling symbolic link/),
    })
  })

  test('names are only names', async () => {
    const scene = createScene({ '..a': '1', 'a..b': '2', '-rf': '3', '$(x)': '4', 'a\nb': '5', '[[ x ]]': '6' }, {})
    const { outcome } = await scene.fix()
    expect(outcome).toEqual({ kind: 'done' })
    expect(scene.read()).toEqual({ '..a': '1', 'a..b': '2', '-rf': '3', '$(x)': '4', 'a\nb': '5', '[[ x ]]': '6' })
  })

  test('a source that cannot be read is no template error', async () => {
    const scene = createScene({ 'd/a': 'a' })
    chmodSync(join(scene.root, 'source', 'd'), 0)
    expect(await asOrdinaryUser(() => scene.undecided())).toMatchObject({ reason: 'permission-denied' })
    chmodSync(join(scene.root, 'source', 'd'), 0o700)
    chmodSync(join(scene.root, 'source', 'd', 'a'), 0)
    expect(await asOrdinaryUser(() => scene.undecided())).toMatchObject({ reason: 'permission-denied' })
  })
})

describe('links and other things in the target', () => {
  test('a link to the right content is fine, one to other content differs, one to nothing is missing', async () => {
    const scene = createScene({ a: 'x', b: 'x', c: 'x' }, {})
    scene.put({ right: 'x', wrong: 'y' })
    symlinkSync('../right', join(scene.target, 'a'))
    symlinkSync('../wrong', join(scene.target, 'b'))
    symlinkSync('../none', join(scene.target, 'c'))
    expect(driftWords(await scene.audit())).toEqual(['content b', 'missing c'])
  })

  test('a directory, a fifo or a file in the way is refused', async () => {
    const scene = createScene({ a: 'a', b: 'b', 'c/d': 'd' }, { 'a/': '', c: '' })
    execFileSync('mkfifo', [join(scene.target, 'b')])
    const decision = await scene.audit()
    expect(decision.drift.map(({ path, observed }) => [path, observed])).toEqual([
      ['a', 'directory'],
      ['b', 'fifo'],
      ['c/d', 'absent'],
    ])
    expect(obstacles(decision)).toEqual([
      `${scene.target}/a exists as a directory; cannot manage it as a file`,
      `${scene.target}/b exists as a fifo; cannot manage it as a file`,
      `${scene.target}/c exists as a file; cannot manage it as a directory`,
    ])
  })

  test('a directory that is a link may stay inside the target, not lead out of it', async () => {
    const scene = createScene({ 'd/a': 'a', 'e/b': 'b', 'f/c': 'c' }, { 'real/a': 'a', other: '' })
    scene.put({ 'outside/b': 'b' })
    symlinkSync('real', join(scene.target, 'd'))
    symlinkSync('../outside', join(scene.target, 'e'))
    symlinkSync('nowhere', join(scene.target, 'f'))
    const decision = await scene.audit({ purge: true })
    expect(driftWords(decision)).toEqual(['missing e/b', 'missing f/c', 'unexpected other'])
    expect(obstacles(decision)).toEqual([
      `${scene.target}/e is a symbolic link to a path outside ${scene.target}`,
      `${scene.target}/f is a dangling symbolic link`,
    ])
    const removal = await scene.audit({ ensure: 'absent' })
    expect(driftWords(removal)).toEqual(['unexpected d/a', 'unexpected e/b'])
    expect(obstacles(removal)).toHaveLength(1)
  })

  test('a link to a file is no directory', async () => {
    const scene = createScene({ 'd/a': 'a' }, { file: '' })
    symlinkSync('file', join(scene.target, 'd'))
    expect(obstacles(await scene.audit())).toEqual([
      `${scene.target}/d exists as a file; cannot manage it as a directory`,
    ])
  })

  test('a link in the target that is not rendered is unexpected itself, not its target', async () => {
    const scene = createScene({ a: 'a' }, { a: 'a' })
    scene.put({ 'outside/b': 'b' })
    symlinkSync('../outside', join(scene.target, 'l'))
    expect(driftWords(await scene.audit({ purge: true }))).toEqual(['unexpected l'])
  })

  test('a target that is a file, or below one', async () => {
    const scene = createScene({ a: 'a' })
    writeFileSync(scene.target, '')
    expect(await scene.audit()).toMatchObject({ ensure: { observed: 'file' }, plan: { kind: 'refuse' } })
    expect((await scene.audit({ ensure: 'absent' })).plan.kind).toBe('none')
    const below = await scene.audit({ name: `${scene.target}/x/y` })
    expect(obstacles(below)).toEqual([`${scene.target} is not a directory`])
  })

  test('an unreadable path is not absent', async () => {
    const scene = createScene({ a: 'a', 'd/b': 'b' }, { a: 'a', 'd/b': 'b' })
    chmodSync(join(scene.target, 'd'), 0)
    const purged = await asOrdinaryUser(() => scene.audit({ purge: true }))
    const absent = await asOrdinaryUser(() => scene.audit({ ensure: 'absent' }))
    expect(purged.unknown.map(({ property }) => property)).toEqual(['content', 'ensure'])
    expect(absent.unknown).toMatchObject([{ reason: 'permission-denied' }])
    chmodSync(join(scene.target, 'd'), 0o700)
  })
})

test('a target beside a linked parent is found', async () => {
  const scene = createScene({ a: 'a' })
  mkdirSync(join(scene.root, 'real'))
  symlinkSync('real', join(scene.root, 'link'))
  expect((await scene.audit({ name: join(scene.root, 'link', 'target') })).drift).toHaveLength(1)
  expect(existsSync(join(scene.root, 'real', 'target'))).toBe(false)
})
