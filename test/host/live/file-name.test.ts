import { isUtf8 } from 'node:buffer'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hasLostBytes, showName } from '../../../src/model/file-name.ts'
import { known } from '../../../src/model/observation.ts'
import { nameFromBytes, systemPath } from '../../../src/host/live/file-name.ts'
import { readFileHead } from '../../../src/host/live/file-reader.ts'
import { readLstat } from '../../../src/host/live/file-stat.ts'
import { NO_JOURNAL } from '../../../src/host/live/journal.ts'
import { createLocalRemediator } from '../../../src/host/live/local-remediator.ts'
import { openDpkgDatabase } from '../../../src/subjects/packages/live/dpkg-database.ts'
import { createLocalProbe } from '../../../src/host/live/probe.ts'
import { readRealPath, readTree } from '../../../src/host/live/tree-reader.ts'
import { fix as fixFile } from '../../subjects/files/file/scene.ts'
import { createScene } from '../../subjects/scaffolds/scene.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { link, makeRoot, STATIC, stateIn } from '../../subjects/services/systemd/unit-tree.ts'

const probe = createLocalProbe()

/** A path whose last name has the byte 0xff before its ending. */
function bad(directory: string, ending = ''): Buffer {
  return Buffer.concat([Buffer.from(`${directory}/bad`), Buffer.of(0xff), Buffer.from(ending)])
}

describe('text of names', () => {
  // The rows of UTF-8's table 3-7 in the Unicode standard, and what lies just outside of them.
  test.each([
    { bytes: [0x61], text: 'a' },
    { bytes: [0xc3, 0xa9], text: 'é' },
    { bytes: [0xf0, 0x9f, 0x98, 0x80], text: '\u{1f600}' },
    { bytes: [0x62, 0xff, 0x62], text: 'b\udcffb' },
    { bytes: [0xc0, 0xaf], text: '\udcc0\udcaf' },
    { bytes: [0xed, 0xb3, 0xbf], text: '\udced\udcb3\udcbf' },
    { bytes: [0xf0, 0x9f, 0x98], text: '\udcf0\udc9f\udc98' },
    { bytes: [0xef, 0xbf, 0xbd], text: '\ufffd' },
  ])('$bytes', ({ bytes, text }) => {
    expect(nameFromBytes(Buffer.from(bytes))).toBe(text)
    expect(hasLostBytes(text)).toBe(!isUtf8(Buffer.from(bytes)))
  })

  test('the bytes of any name can be had back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (bytes) => {
        const text = nameFromBytes(Buffer.from(bytes))
        expect(Buffer.from(systemPath(text)).equals(bytes)).toBe(true)
        expect(hasLostBytes(showName(text))).toBe(false)
      }),
    )
  })

  test('bytes that are not UTF-8 are shown as escapes, next to any other characters', () => {
    expect(showName('/srv/bad\udcff\u{1f600}\udc80')).toBe('/srv/bad\\xff\u{1f600}\\x80')
  })
})

describe('names that are not UTF-8', () => {
  test('are listed, looked at, read and resolved', () => {
    const root = temporaryDirectory()
    mkdirSync(bad(root))
    writeFileSync(Buffer.concat([bad(root), Buffer.from('/file')]), 'x')
    symlinkSync(bad(root), join(root, 'link'))
    expect(readTree(root)).toEqual(
      known([
        { path: 'bad\udcff', kind: 'directory' },
        { path: 'bad\udcff/file', kind: 'file' },
        { path: 'link', kind: 'symlink' },
      ]),
    )
    const file = join(root, 'bad\udcff', 'file')
    expect(readLstat(file)).toMatchObject({ kind: 'present', state: { kind: 'file' } })
    expect(readFileHead(file, 10)).toEqual(known(Uint8Array.of(0x78)))
    expect(readRealPath(join(root, 'link'))).toEqual(known(join(root, 'bad\udcff')))
    expect(probe.list(root)).toEqual(known(['bad\udcff', 'link']))
    expect(probe.readText(file)).toEqual(known('x'))
  })

  test('are removed with their tree, and a purge finds and removes them', async () => {
    const scene = createScene({ a: 'a' }, { a: 'a' })
    mkdirSync(bad(scene.target))
    writeFileSync(Buffer.concat([bad(scene.target), Buffer.from('/file')]), '')
    const { before, outcome, after } = await scene.fix({ purge: true })
    expect(before.drift).toEqual([
      { property: 'ensure', path: 'bad\\xff/file', desired: 'absent', observed: 'present' },
    ])
    expect(outcome).toEqual({ kind: 'done' })
    expect(after.drift).toEqual([])
    expect(readdirSync(bad(scene.target))).toEqual([])
    expect(await fixFile({ name: scene.target, ensure: 'absent', force: true })).toMatchObject({ after: { drift: [] } })
    expect(existsSync(scene.target)).toBe(false)
  })

  test('are rendered from templates of such a name', async () => {
    const scene = createScene()
    writeFileSync(bad(join(scene.root, 'source'), '.conf'), 'text')
    expect((await scene.fix()).after.drift).toEqual([])
    expect(readFileSync(bad(scene.target, '.conf'), 'utf8')).toBe('text')
  })

  test('are owned, written and named in failures', async () => {
    const root = temporaryDirectory()
    const remediator = createLocalRemediator(NO_JOURNAL)
    const path = join(root, 'bad\udcff')
    const content = { kind: 'bytes', bytes: Buffer.from('x') } as const
    expect(await remediator.writeFile(path, content, { defaultMode: 0o644 })).toEqual({ kind: 'done' })
    expect(readFileSync(bad(root), 'utf8')).toBe('x')
    expect(await remediator.remove(join(path, 'below'), { recursive: true })).toEqual({ kind: 'done' })
    expect(await remediator.createDirectory(join(path, 'below'), { defaultMode: 0o755 })).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('bad\\xff') as string,
    })
    rmSync(bad(root))
  })

  test('hide no package of an image, and no drop-in of a unit', () => {
    const database = temporaryDirectory()
    mkdirSync(join(database, 'status.d'))
    writeFileSync(bad(join(database, 'status.d')), 'Package: a\nVersion: 1\nArchitecture: amd64\n')
    expect(openDpkgDatabase(database).find('a')).toMatchObject({ value: [{ id: 'a', version: '1' }] })
    const place = makeRoot({
      '/lib/systemd/system/a.service': STATIC,
      '/lib/systemd/system/b.service': link('a.service'),
    })
    const dropIns = `${place.root}/etc/systemd/system/a.service.d`
    mkdirSync(dropIns, { recursive: true })
    expect(stateIn(place, 'a.service')).toBe('static')
    writeFileSync(bad(dropIns, '.conf'), '[Install]\nWantedBy=multi-user.target\n')
    expect(stateIn(place, 'a.service')).toBe('disabled')
  })
})
