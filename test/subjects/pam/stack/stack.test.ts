import { expect, test } from 'vitest'
import { known, type Reading, unknown } from '../../../../src/model/observation.ts'
import { expandPam, type PamFiles, type PamStack, type PamType } from '../../../../src/subjects/pam/stack/stack.ts'
import { tokensOf } from '../../../../src/subjects/pam/stack/tokens.ts'

function expand(files: Readonly<Record<string, string>>, type: PamType = 'auth'): Reading<PamStack | null> {
  return expandPam(filesOf(files), 's', type)
}

function filesOf(files: Readonly<Record<string, string>>): PamFiles {
  return {
    find: (name) => known(files[name] === undefined ? null : { path: name, text: files[name] }),
    hasModule: (module) =>
      module === 'hidden.so' ? unknown('permission-denied', 'hidden.so') : known(module !== 'missing.so'),
  }
}

function linesOf(stack: Reading<PamStack | null>): readonly string[] {
  if (stack.kind === 'unknown') throw new Error(stack.detail)
  return (stack.value?.entries ?? []).map(
    ({ kind, name, level, file, line }) => `${file}:${line} ${level} ${kind} ${name}`,
  )
}

test('lines are those of the type, in the order in which they are called', () => {
  const files = {
    s: '# first\nauth required a.so\n@include i\naccount required b.so\nauth substack t\nauth include i\n-auth optional c.so',
    i: 'account required b.so\nauth required \\\n  i.so x\nauth required j.so\n',
    t: 'auth required t.so\n',
  }
  expect(linesOf(expand(files))).toEqual([
    's:2 0 module a',
    'i:2 0 module i',
    'i:4 0 module j',
    's:5 0 substack t',
    't:1 1 module t',
    'i:2 0 module i',
    'i:4 0 module j',
    's:7 0 module c',
  ])
})

// Each of these is what Linux-PAM 1.5 does; where later versions differ it is unknown.
test.each([
  ['a line that names no module', 'auth required\n', ['s:1 0 fails ']],
  ['one without a control', 'auth\n', ['s:1 0 fails ']],
  ['an invalid type is one of auth', 'aut required a.so\n', ['s:1 0 fails a']],
  ['a file that is not there', 'auth include x\n', ['s:1 0 fails x']],
  ['an include without a name', 'auth include\n', ['s:1 0 fails ']],
  ['a substack that is not there', 'auth substack x\n', ['s:1 0 substack x', 's:1 0 fails x']],
])('%s makes a line that refuses', (_title, text, expected) => {
  expect(linesOf(expand({ s: text }))).toEqual(expected)
})

test.each([
  ['a circle of includes', { s: 'auth include i\n', i: 'auth include s\n' }, 's includes itself'],
  ['a circle of @include', { s: '@include s\n' }, 's includes itself'],
  ['an @include that is not there', { s: '@include x\n' }, 'refuses the service'],
  ['an @include without a name', { s: '@include\n' }, 'without a name'],
  ['a line that is continued at the end', { s: 'auth required \\' }, 'is continued'],
  ['a service beside such an other', { s: 'auth required a.so\n', other: 'auth required \\' }, 'is continued'],
  ['a comment that is too long', { s: `# ${'x'.repeat(1000)}\nauth required a.so\n` }, 'longer than'],
  ['a line that is too long', { s: `auth required a.so ${'x'.repeat(1000)}\n` }, 'longer than'],
  ['an invalid character', { s: 'auth required a.so \0\n' }, 'is not text'],
  ['a module that cannot be looked for', { s: 'auth required hidden.so\n' }, 'hidden.so'],
  [
    'files that include one another twice each, again and again',
    Object.fromEntries(
      Array.from({ length: 15 }, (_, index) => {
        const below = `auth include i${index + 1}\n`
        return [index === 0 ? 's' : `i${index}`, index === 14 ? 'auth required a.so\n' : below + below]
      }),
    ),
    'more than 1000 lines',
  ],
])('%s is unknown', (_title, files, detail) => {
  expect(expand(files)).toMatchObject({ kind: 'unknown', detail: expect.stringContaining(detail) })
})

test('in a control, an em space is no blank, so all actions are bad', () => {
  const stack = expand({ s: 'auth [default\u2003=ignore success=ok] a.so\n' })
  expect(stack.kind === 'known' && new Set(stack.value?.entries[0]?.actions)).toEqual(new Set(['bad']))
})

test('sixteen substacks in one another refuse, and so many includes are read differently by versions', () => {
  const chain = (keyword: string): Readonly<Record<string, string>> =>
    Object.fromEntries(
      Array.from({ length: 17 }, (_, index) => [index === 0 ? 's' : `i${index}`, `auth ${keyword} i${index + 1}\n`]),
    )
  expect(linesOf(expand(chain('substack'))).at(-1)).toBe('i15:1 15 fails i16')
  expect(expand(chain('include'))).toMatchObject({ kind: 'unknown' })
})

test('a service without a file is absent, and one without lines has those of other', () => {
  expect(expand({ other: 'auth required a.so\n' })).toEqual(known(null))
  expect(linesOf(expand({ s: 'account required a.so\n', other: 'auth required o.so\n' }))).toEqual([
    'other:1 0 module o',
  ])
  expect(linesOf(expand({ s: '' }))).toEqual([])
})

// pam.conf(5): "If you wish to include spaces in an argument, you should surround that argument with square brackets."
test.each([
  ['a  b\tc', ['a', 'b', 'c']],
  ['[query=select user from t where u=\\]x\\]] b', ['query=select user from t where u=]x]', 'b']],
  ['[a b', ['a b']],
  ['a[b c]', ['a[b', 'c]']],
  ['', []],
])('%j are the words %j', (text, words) => {
  expect(tokensOf(text)).toEqual(words)
})
