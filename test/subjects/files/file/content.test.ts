import { createHash } from 'node:crypto'
import { chmodSync, existsSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fileResources, MINE, problemsOf, resultOf, scanWith } from '../../../compatibility/support.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { audit, fix, type Values } from './scene.ts'

function put(text: string | Buffer, name = 'file'): string {
  const path = join(temporaryDirectory(), name)
  writeFileSync(path, text)
  chmodSync(path, 0o644)
  return path
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

const NO_NEAREST = { reason: 'cannot derive a value for content from its condition: set "fix" to the value to write' }

describe('contents that are accepted', () => {
  test.each<[Values, string, string]>([
    [{ includes: ['b', 'c'] }, 'a\nb', 'a\nb\nc'],
    [{ excludes: ['b'] }, 'a\nb\nc\n', 'a\nc\n'],
    [{ includes: ['x'], excludes: ['a'] }, 'a\n', 'x\n'],
    [{ matches: 'a.*\n', fix: 'a\n' }, 'b\n', 'a\n'],
    [{ not_matches: '(?s).*secret.*', fix: 'none\n' }, 'a\nsecret\n', 'none\n'],
  ])('%j of %j', async (content, before, after) => {
    const name = put(before)
    const { drift } = await audit({ name, content })
    expect(drift).toMatchObject([
      { property: 'content', desired: content, observed: { sha256: sha256(before), sizeBytes: before.length } },
    ])
    expect(drift[0]?.diff).toContain(`+${after.split('\n').find((line) => !before.split('\n').includes(line)) ?? ''}`)
    const { outcome, after: later } = await fix({ name, content })
    expect([outcome, later.drift, readFileSync(name, 'utf8')]).toEqual([{ kind: 'done' }, [], after])
    const { ino } = statSync(name)
    await fix({ name, content })
    expect(statSync(name).ino).toBe(ino)
  })

  test('accepted content stays with any other lines, and attributes are set without a rewrite', async () => {
    const name = put('a\nb')
    const content = { includes: ['b'], excludes: ['c'], matches: '(?s).*a.*' }
    expect((await audit({ name, content })).drift).toEqual([])
    chmodSync(name, 0o600)
    const { ino } = statSync(name)
    expect((await fix({ name, content })).after.drift).toEqual([])
    expect([statSync(name).ino, readFileSync(name, 'utf8')]).toEqual([ino, 'a\nb'])
  })

  test('without a nearest content a fix refuses, and still sets the attributes', async () => {
    const name = put('b')
    const content = { matches: 'a' }
    const { drift, plan } = await audit({ name, content })
    expect(drift).toEqual([{ property: 'content', desired: content, observed: { sha256: sha256('b'), sizeBytes: 1 } }])
    expect(plan).toEqual({ kind: 'refuse', obstacles: [NO_NEAREST] })
    chmodSync(name, 0o600)
    expect((await audit({ name, content })).plan).toMatchObject({ kind: 'act', leaves: [NO_NEAREST] })
    expect((await fix({ name, content })).after.drift.map(({ property }) => property)).toEqual(['content'])
    expect(statSync(name).mode & 0o777).toBe(0o644)
  })

  test('a file that is missing is made of the lines that it needs', async () => {
    const folder = temporaryDirectory()
    const name = join(folder, 'new')
    await fix({ name, content: { includes: ['a', 'b'], excludes: ['c'] } })
    expect(readFileSync(name, 'utf8')).toBe('a\nb\n')
    const matched = join(folder, 'matched')
    expect((await audit({ name: matched, content: { matches: 'a' } })).plan).toMatchObject({ obstacles: [NO_NEAREST] })
    symlinkSync('nowhere', join(folder, 'link'))
    await fix({ name: join(folder, 'link'), content: { includes: ['a'] } })
    expect(lstatSync(join(folder, 'link')).isFile()).toBe(true)
  })

  test('content that is not text, or too large to search, is unknown and never written', async () => {
    const odd = put(Buffer.from([0x61, 0xff, 0x0a]))
    const content = { includes: ['b'] }
    expect(await audit({ name: odd, content })).toMatchObject({
      drift: [],
      unknown: [{ property: 'content', detail: `${odd}: not UTF-8 text` }],
    })
    const large = put('a'.repeat(4 * 1024 * 1024 + 1))
    expect(await audit({ name: large, content })).toMatchObject({
      drift: [],
      unknown: [{ property: 'content', detail: `${large}: larger than 4194304 bytes, not searched` }],
    })
    chmodSync(odd, 0o600)
    await fix({ name: odd, content })
    expect([...readFileSync(odd)]).toEqual([0x61, 0xff, 0x0a])
    expect(statSync(odd).mode & 0o777).toBe(0o644)
  })

  test('a policy of others searches no file', async () => {
    const name = put('a')
    expect(await audit({ name, content: { matches: 'b' } }, { contentsHidden: true })).toMatchObject({
      drift: [],
      unknown: [{ property: 'content', reason: 'not-observable' }],
    })
  })

  test('content of a private file is confidential, and a sensitive resource shows nothing', async () => {
    const name = put('a\nhunter2\n')
    chmodSync(name, 0o600)
    const wanted = { name, mode: '0600', content: { includes: ['b'] } }
    expect((await audit(wanted)).drift).toMatchObject([{ property: 'content', confidential: true }])
    const text = (rest: string): string =>
      fileResources(`- ${name}: { ensure: present, mode: "0600", content: { includes: [hidden] }, ${rest}${MINE} }`)
    const folder = temporaryDirectory()
    const shown = JSON.stringify(await scanWith(folder, text('sensitive: true, ')))
    for (const word of ['hidden', 'hunter2', sha256('a\nhunter2\n')]) expect(shown).not.toContain(word)
    expect(JSON.stringify(await scanWith(folder, text('')))).toContain('hidden')
  })
})

describe('the sha256 that a content must have', () => {
  const wanted = sha256('right')

  test('is compared, and a fix has nothing to write', async () => {
    const name = put('right')
    expect((await audit({ name, sha256: wanted.toUpperCase() })).drift).toEqual([])
    writeFileSync(name, 'wrong')
    const { drift, plan } = await audit({ name, sha256: wanted })
    expect(drift).toEqual([{ property: 'sha256', desired: wanted, observed: sha256('wrong') }])
    const left = { reason: 'no content with this sha256 to write: set a matching source or content' }
    expect(plan).toEqual({ kind: 'refuse', obstacles: [left] })
    chmodSync(name, 0o600)
    expect((await audit({ name, sha256: wanted })).plan).toMatchObject({ kind: 'act', leaves: [left] })
    await fix({ name, sha256: wanted })
    expect([readFileSync(name, 'utf8'), statSync(name).mode & 0o777]).toEqual(['wrong', 0o644])
    const missing = join(temporaryDirectory(), 'missing')
    expect((await audit({ name: missing, sha256: wanted })).plan).toMatchObject({ obstacles: [left] })
  })

  test('a source that has it is written', async () => {
    const name = put('wrong')
    const source = put('right')
    expect((await audit({ name, source, sha256: wanted })).drift).toMatchObject([
      { property: 'content', desired: { sha256: wanted, sizeBytes: 5 } },
    ])
    expect((await fix({ name, source, sha256: wanted })).after.drift).toEqual([])
    expect(readFileSync(name, 'utf8')).toBe('right')
    const missing = join(temporaryDirectory(), 'missing')
    expect((await fix({ name: missing, content: 'right', sha256: wanted })).after.drift).toEqual([])
    expect(readFileSync(missing, 'utf8')).toBe('right')
  })

  test.each([
    ['is another one', (): string => put('other'), `the source or content has another sha256: ${sha256('other')}`],
    ['is missing', (): string => '/nowhere/source', 'source /nowhere/source does not exist'],
    ['is a directory', (): string => '/tmp', 'source /tmp is not a regular file'],
  ])('a source that %s is never written', async (_case, make, reason) => {
    const source = make()
    const name = put('wrong')
    const { drift, plan } = await audit({ name, source, sha256: wanted })
    expect(drift).toEqual([{ property: 'sha256', desired: wanted, observed: sha256('wrong') }])
    expect(plan).toMatchObject({ kind: 'refuse', obstacles: [{ reason }] })
    // What is right stays so, and its attributes are set without the source.
    writeFileSync(name, 'right')
    chmodSync(name, 0o600)
    expect((await fix({ name, source, sha256: wanted })).after.drift).toEqual([])
    expect(readFileSync(name, 'utf8')).toBe('right')
    const missing = join(temporaryDirectory(), 'missing')
    expect((await audit({ name: missing, source, sha256: wanted })).plan).toMatchObject({ obstacles: [{ reason }] })
    expect(existsSync(missing)).toBe(false)
  })

  test('with a directory, or a content that accepts several, it is a problem of the policy', async () => {
    const sum = `sha256: "${wanted}"`
    const of = (text: string): Promise<readonly string[]> =>
      problemsOf(temporaryDirectory(), fileResources(`- /x: { ${text}, mode: "0644", ${MINE} }`))
    expect((await of(`ensure: directory, ${sum}`)).join('')).toContain("'sha256' is only valid with 'ensure: present'")
    expect((await of(`ensure: present, content: { includes: [a] }, ${sum}`)).join('')).toContain(
      "'sha256' requires a single content",
    )
  })

  test('the exported checksum is that of the file', async () => {
    const name = put('right')
    const text = fileResources(`- ${name}: { ensure: present, mode: "0644", sha256: "${wanted}", ${MINE} }`)
    expect(resultOf(await scanWith(temporaryDirectory(), text)).verdict).toBe('compliant')
  })
})
