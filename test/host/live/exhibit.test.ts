import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, lchownSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readExhibit } from '../../../src/host/live/exhibit.ts'
import { openRoot, pathPlace } from '../../../src/host/live/place.ts'
import type { Exhibit } from '../../../src/host/target.ts'
import { needsRoot, temporaryDirectory } from '../../support/temporary.ts'

const NOBODY = 65534
const ADM = 4
const names = {
  userName: (uid: number) => (uid === NOBODY ? 'nobody' : undefined),
  groupName: (gid: number) => (gid === ADM ? 'adm' : undefined),
}

/** What may be shown of a path: its text, with what keeps others from reading it, or who may change where it leads. */
function look(path: string, root = openRoot): string {
  const seen = readExhibit(path, 1000, { names, root })
  return seen.kind === 'unknown' ? seen.reason : describeExhibit(seen.value)
}

function describeExhibit(exhibit: Exhibit): string {
  if (exhibit.kind === 'withheld') return `by ${exhibit.changeableBy}`
  const text = Buffer.from(exhibit.bytes).toString()
  return exhibit.privateBy === undefined ? text : `${text} (${exhibit.privateBy})`
}

/** A directory that only its owner can change, with `app/file`. */
function scene(): { base: string; app: string; file: string } {
  const base = temporaryDirectory()
  const app = join(base, 'app')
  mkdirSync(app)
  const file = join(app, 'file')
  writeFileSync(file, 'text')
  for (const path of [app, file]) chmodSync(path, 0o755)
  return { base, app, file }
}

describe.each([
  ['by descriptor', openRoot],
  ['by path', () => pathPlace('/')],
])('%s', (_name, root) => {
  test('a file in directories of trusted users is shown, through links of theirs, too', () => {
    const { base, file } = scene()
    symlinkSync('app', join(base, 'link'))
    symlinkSync('link/./../link/file', join(base, 'second'))
    expect(look(file, root)).toBe('text')
    expect(look(join(base, 'second'), root)).toBe('text')
    expect(readExhibit(file, 2, { names, root })).toMatchObject({ value: { bytes: Buffer.from('te') } })
  })

  test.skipIf(needsRoot)('below a directory of another user nothing is', () => {
    const { app, file } = scene()
    mkdirSync(join(app, 'below'))
    writeFileSync(join(app, 'below/deep'), 'deep')
    chownSync(app, NOBODY, 0)
    expect(look(file, root)).toBe('by nobody')
    expect(look(join(app, 'below/deep'), root)).toBe('by nobody')
    chownSync(app, 4_000_000, 0)
    expect(look(file, root)).toBe('by the user 4000000')
  })

  test.skipIf(needsRoot)('nor behind a link of another user', () => {
    const { base, file } = scene()
    symlinkSync(file, join(base, 'link'))
    lchownSync(join(base, 'link'), NOBODY, NOBODY)
    expect(look(join(base, 'link'), root)).toBe('by nobody')
  })

  test.skipIf(needsRoot)('nor where a trusted link leads below a directory of another user', () => {
    const { base, app } = scene()
    symlinkSync(app, join(base, 'link'))
    chownSync(app, NOBODY, 0)
    expect(look(join(base, 'link/file'), root)).toBe('by nobody')
  })

  test('nor in a directory writable by a group or by all users, even if it is sticky', () => {
    const { app, file } = scene()
    if (process.geteuid?.() === 0) chownSync(app, 0, ADM)
    chmodSync(app, 0o775)
    expect(look(file, root)).toMatch(process.geteuid?.() === 0 ? /^by the group adm$/ : /^by the group /)
    chmodSync(app, 0o757)
    expect(look(file, root)).toBe('by every user')
    chmodSync(app, 0o1777)
    expect(look(file, root)).toBe('by every user')
  })

  test('but below a directory of a trusted user in a sticky one, which other users cannot move', () => {
    const { app } = scene()
    mkdirSync(join(app, 'own'))
    writeFileSync(join(app, 'own/file'), 'text')
    chmodSync(app, 0o1777)
    expect(look(join(app, 'own/file'), root)).toBe('text')
  })

  test.skipIf(needsRoot)('the file of another user is shown where only trusted ones decide that it is there', () => {
    const { file } = scene()
    chownSync(file, NOBODY, NOBODY)
    expect(look(file, root)).toBe('text')
  })

  test('a file that others may not read is private, by its mode or that of a directory', () => {
    const { app, file } = scene()
    chmodSync(file, 0o640)
    expect(look(file, root)).toBe('text (file)')
    chmodSync(file, 0o644)
    chmodSync(app, 0o750)
    expect(look(file, root)).toBe('text (directory)')
  })

  test('a non-file, a missing file and a link loop are not observable', () => {
    const { app, base } = scene()
    symlinkSync('circle', join(base, 'circle'))
    expect(look(app, root)).toBe('not-observable')
    expect(look(join(app, 'none'), root)).toBe('not-observable')
    expect(look(join(base, 'circle'), root)).toBe('not-observable')
    spawnSync('mkfifo', [join(base, 'fifo')])
    expect(look(join(base, 'fifo'), root)).toBe('not-observable')
  })
})

test.skipIf(needsRoot)('a hard link that another user laid is not shown', () => {
  const { base, app } = scene()
  const secret = join(base, 'secret')
  writeFileSync(secret, 'secret', { mode: 0o600 })
  linkSync(secret, join(app, 'hard'))
  chownSync(app, NOBODY, NOBODY)
  expect(look(join(app, 'hard'))).toBe('by nobody')
})
