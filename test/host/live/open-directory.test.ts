import { chmodSync, chownSync, lchownSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type DirectoryResult, openDirectory } from '../../../src/host/live/open-directory.ts'
import { openRoot, pathPlace } from '../../../src/host/live/place.ts'
import { needsRoot, temporaryDirectory } from '../../support/temporary.ts'

/** What the directory holds, or how opening it ended. */
function look(path: string, root = openRoot): readonly string[] | DirectoryResult['kind'] {
  const result = openDirectory(path, { root })
  if (result.kind !== 'open') return result.kind
  const names = readdirSync(result.directory.handle)
  result.directory.close()
  return names
}

/** A directory `real` with the entry `inside`, beside `links`, which holds what the test puts there. */
function scene(): { base: string; links: string } {
  const base = temporaryDirectory()
  const links = join(base, 'links')
  mkdirSync(join(base, 'real/deep'), { recursive: true })
  mkdirSync(links)
  writeFileSync(join(base, 'real/inside'), '')
  return { base, links }
}

describe.each([
  ['by descriptor', openRoot],
  ['by path', () => pathPlace('/')],
])('%s', (_name, root) => {
  test('goes down real directories', () => {
    expect(look(join(scene().base, 'real'), root)).toEqual(['deep', 'inside'])
  })

  test.each([
    ['absolute', (base: string) => join(base, 'real')],
    ['relative', () => '../real'],
    ['through another link', () => 'second'],
    ['with dots', () => './../links/.././real/deep/..'],
  ])('follows a trusted link: %s', (_link, target) => {
    const { base, links } = scene()
    symlinkSync(target(base), join(links, 'link'))
    symlinkSync('../real', join(links, 'second'))
    expect(look(join(links, 'link'), root)).toEqual(['deep', 'inside'])
  })

  test.each([
    ['nothing', 'absent', 'none/below'],
    ['a file', 'absent', 'real/inside'],
    ['a file on the way', 'absent', 'real/inside/below'],
  ])('%s at the path', (_case, kind, path) => {
    expect(look(join(scene().base, path), root)).toBe(kind)
  })

  test('a dangling link leads to nothing, a loop of links nowhere', () => {
    const { links } = scene()
    symlinkSync('none', join(links, 'dangling'))
    symlinkSync('loop', join(links, 'loop'))
    expect(look(join(links, 'dangling'), root)).toBe('absent')
    expect(look(join(links, 'loop'), root)).toBe('failed')
  })

  test.each([
    ['for all', 0o777],
    ['for all, sticky as /tmp', 0o1777],
    ['for its group', 0o775],
  ])('refuses a link in a directory that is writable %s', (_case, mode) => {
    const { links } = scene()
    symlinkSync('../real', join(links, 'link'))
    chmodSync(links, mode)
    expect(look(join(links, 'link'), root)).toBe('failed')
  })

  test.skipIf(needsRoot)('refuses a link of another user (needs root)', () => {
    const { links } = scene()
    symlinkSync('../real', join(links, 'link'))
    lchownSync(join(links, 'link'), 4711, 4711)
    expect(look(join(links, 'link'), root)).toBe('failed')
  })

  test.skipIf(needsRoot)('refuses a link in the directory of another user (needs root)', () => {
    const { links } = scene()
    symlinkSync('../real', join(links, 'link'))
    chownSync(links, 4711, 4711)
    expect(look(join(links, 'link'), root)).toBe('failed')
  })

  test.skipIf(needsRoot)('goes down the real directories of another user (needs root)', () => {
    const { base } = scene()
    chownSync(join(base, 'real'), 4711, 4711)
    chmodSync(join(base, 'real'), 0o700)
    expect(look(join(base, 'real/deep'), root)).toEqual([])
  })
})
