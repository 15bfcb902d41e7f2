import { posix } from 'node:path'
import { assert, constantFrom, array, property, string } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseEntryPath, symlinkProblem } from '../../../../src/subjects/archives/unpack/stage.ts'

describe('names of entries', () => {
  test.each<[string, readonly string[]]>([
    ['a', ['a']],
    ['a/b', ['a', 'b']],
    ['./a//b/./c/', ['a', 'b', 'c']],
    ['./', []],
    ['.', []],
    ['...', ['...']],
    ['..a/b..', ['..a', 'b..']],
    [String.raw`..\a`, [String.raw`..\a`]],
    ['C:/x', ['C:', 'x']],
    ['a\nb', ['a\nb']],
    ['ä', ['ä']],
    ['x'.repeat(255), ['x'.repeat(255)]],
  ])('%j is %j', (name, components) => {
    expect(parseEntryPath(name)).toEqual({ kind: 'path', components })
  })

  test.each([
    ['', 'has no name'],
    ['/', 'has an absolute name'],
    ['/etc/passwd', 'has an absolute name'],
    ['//etc/passwd', 'has an absolute name'],
    ['..', 'has ".." in its name'],
    ['../a', 'has ".." in its name'],
    ['a/../../b', 'has ".." in its name'],
    // It stays inside, but no honest archive has it.
    ['a/../b', 'has ".." in its name'],
    ['a/..', 'has ".." in its name'],
    ['a\0b', 'has a NUL character in its name'],
    ['a\uFFFD', 'has a name that is not UTF-8'],
    ['x'.repeat(256), 'has a name of more than 255 bytes'],
    ['ä'.repeat(128), 'has a name of more than 255 bytes'],
    ['a/'.repeat(200), 'is more than 128 directories deep'],
    [`${'x'.repeat(200)}/`.repeat(20), 'has a name of more than 3072 bytes'],
  ])('%j is refused', (name, reason) => {
    expect(parseEntryPath(name)).toEqual({ kind: 'refused', reason })
  })

  const piece = constantFrom('.', '..', '', 'a', 'b', '...', ' ', '\\', '\0', 'ä', '..\n')
  const names = array(piece, { maxLength: 12 }).map((pieces) => pieces.join('/'))

  test('an accepted path lies below the destination for every name', () => {
    for (const arbitrary of [names, string({ unit: 'binary' })]) {
      assert(
        property(arbitrary, (name) => {
          const parsed = parseEntryPath(name)
          if (parsed.kind === 'refused') return
          expect(posix.join('/destination', ...parsed.components)).toBe(
            posix.join('/destination', name).replace(/(?<=.)\/$/s, ''),
          )
          for (const component of parsed.components) expect(component).not.toMatch(/^(\.{0,2})$|\/|\0/)
        }),
      )
    }
  })
})

describe('targets of links', () => {
  test.each<[string, string]>([
    ['a', 'b'],
    ['a', './b/c'],
    ['bin/npm', '../lib/npm/cli.js'],
    ['d/up', '..'],
    ['a', '.'],
    ['a/b/c', '../../x'],
    ['a', '...'],
    ['a', 'b/'],
  ])('%s -> %s is fine', (link, target) => {
    expect(symlinkProblem(link.split('/'), target)).toBeUndefined()
  })

  test.each([
    ['a', '', 'is a link with an empty target'],
    ['a', '/etc', 'is a link to an absolute path'],
    ['a', '..', 'is a link to a path outside the destination'],
    ['a', './../b', 'is a link to a path outside the destination'],
    ['a/b', '../../c', 'is a link to a path outside the destination'],
    ['a', 'b/../../c', 'is a link with ".." after a name in its target, which may resolve outside the destination'],
    // If b is a link to a directory deeper down, this leaves although it does not look like it.
    ['a', 'b/..', 'is a link with ".." after a name in its target, which may resolve outside the destination'],
    ['a', 'b\0', 'is a link with a NUL character in its target'],
    ['a', '\uFFFD', 'is a link with a target that is not UTF-8'],
    ['a', 'x/'.repeat(2100), 'is a link with a target that is too long'],
  ])('%s -> %j is refused', (link, target, reason) => {
    expect(symlinkProblem(link.split('/'), target)).toBe(reason)
  })

  test('an accepted link stays inside even if each of its names is a link to the top', () => {
    const link = array(constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 })
    const target = array(constantFrom('..', '.', 'a', 'b', ''), { maxLength: 8 }).map((pieces) => pieces.join('/'))
    assert(
      property(link, target, (path, text) => {
        if (symlinkProblem(path, text) !== undefined) return
        let depth = path.length - 1
        for (const part of text.split('/')) {
          if (part === '..') depth--
          // The worst that an accepted link can do is to lead to the destination itself.
          else if (part !== '' && part !== '.') depth = 0
          expect(depth).toBeGreaterThanOrEqual(0)
        }
      }),
    )
  })
})
