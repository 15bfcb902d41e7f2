import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseGroup, parsePasswd, parseShadow } from '../../../../src/subjects/accounts/account-files.ts'
import { prepareRoot, runInside, whyNoRoot } from '../../../support/account-root.ts'
import { expectAgreement } from '../../../support/proof.ts'
import { sample } from '../../../support/soak.ts'
import { hostile } from '../../../support/hostile-files.ts'
import { put } from '../../../support/contract.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

/** What perl prints of all that glibc enumerates: fields of passwd, shadow and group. */
const ENUMERATE = String.raw`
setpwent; while (my @p = getpwent) { print join("|", "p", @p[0, 2, 3, 6, 7, 8]), "\n" }
setgrent; while (my @g = getgrent) { print join("|", "g", @g[0, 2, 3]), "\n" }
`

const name = fc.constantFrom('root', 'a', 'b', 'toor', '', '+', '+a', '-b', '#c', ' d')
const number = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('0', '1', '1000') },
  fc.constantFrom(
    '00',
    '+0',
    '-0',
    ' 0',
    '0 ',
    '',
    '-1',
    '0x0',
    '4294967295',
    '4294967296',
    '99999999999999999999',
    'x',
  ),
)
const text = fc.constantFrom('', 'x', '!', '*', 'word', '/bin/sh', ' a b')
const passwdLine = fc
  .tuple(fc.tuple(name, text, number, number, text, text, text), fc.integer({ min: 1, max: 8 }))
  .map(([fields, count]) => [...fields, 'more'].slice(0, Math.max(count, 3)).join(':'))
const members = fc.constantFrom('', 'a', 'a,b', ' a, b,,c ', ',')
const groupLine = fc
  .tuple(fc.tuple(name, text, number, members), fc.integer({ min: 2, max: 4 }))
  .map(([fields, count]) => fields.slice(0, count).join(':'))
const file = (line: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof({ weight: 8, arbitrary: line }, fc.constantFrom('', '# comment', ' ')), { maxLength: 6 })
    .map((lines) => `${lines.join('\n')}\n`)
const shadowLine = fc
  .tuple(fc.tuple(name, text, number, number, number, number, number, number, number), fc.integer({ min: 2, max: 10 }))
  .map(([fields, count]) => [...fields, 'more'].slice(0, Math.max(count, 4)).join(':'))
const lists = fc.record({ passwd: file(passwdLine), group: file(groupLine), shadow: file(shadowLine) })

test.skipIf(whyNoRoot())('passwd, group and shadow are read as glibc reads them', () => {
  const generated = sample(hostile(lists), { usual: 120, soak: 5_000 }, 1)
  const root = temporaryDirectory()
  prepareRoot(root)
  writeFileSync(join(root, 'etc/nsswitch.conf'), 'passwd: files\ngroup: files\nshadow: files\n')
  writeFileSync(join(root, 'enumerate.pl'), ENUMERATE)
  for (const [index, files] of generated.entries()) {
    put(root, Object.fromEntries(Object.entries(files).map(([called, lines]) => [`cases/${index}/${called}`, lines])))
  }
  const printed = runInside(
    root,
    `for i in $(seq 0 ${generated.length - 1}); do echo "== $i"; cp cases/$i/* etc/; chroot . perl /enumerate.pl; chroot . getent shadow; done`,
  )
  const answers = printed.split(/^== \d+\n/m).slice(1)
  expect(answers).toHaveLength(generated.length)
  const wrong = generated.flatMap((files, index) => {
    const [ours, theirs] = [seen(files), answered(answers[index] ?? '')]
    return ours.join('\n') === theirs.join('\n') ? [] : [{ files, ours, theirs }]
  })
  expectAgreement({ reader: 'passwd, group and shadow', program: 'getent', texts: generated.length }, wrong)
})

/** Without what refers to NIS, which glibc enumerates and never finds by its name. */
type Files = Readonly<Record<'passwd' | 'group' | 'shadow', string>>

function answered(printed: string): readonly string[] {
  const lines = printed.split('\n').map((line) => (/^[pg]\|/.test(line) ? line : line.replace(/:[^:]*$/, '')))
  return lines.filter((line) => line !== '' && !/^(?:.\|)?[+-]/.test(line))
}

function seen({ passwd, group, shadow }: Files): readonly string[] {
  return [
    ...parsePasswd(passwd).lines.map(({ name: called, uid, gid, comment, home, shell }) =>
      ['p', called, uid, gid, comment, home, shell].join('|'),
    ),
    ...parseGroup(group).lines.map(({ name: called, gid, members: list }) =>
      ['g', called, gid, list.join(' ')].join('|'),
    ),
    ...parseShadow(shadow).lines.map(({ name: called, password, lastChange, min, max, warn, inactive, expires }) =>
      // No program reads the last field.
      [called, password, lastChange, min, max, warn, inactive, expires].join(':'),
    ),
  ]
}

// glibc moves the indented line without its end, `getent passwd d` shows.
test.each([
  ['a:x:1:1:::\n  d:x:10:20', 2020],
  ['a:x:1:1:::\n  d:x:10:20\n', 20],
])('the end of an indented last line counts twice without a newline: %j', (lines, gid) => {
  expect(parsePasswd(lines).lines.at(-1)?.gid).toBe(gid)
})
