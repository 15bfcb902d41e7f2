import { expect, test } from 'vitest'
import { occurrencesOf, parseCommandLine } from '../../../../src/subjects/boot/settings/command-line.ts'

// The rules of next_arg() in lib/cmdline.c and parse_args() in kernel/params.c, and the kernel's own
// Documentation/admin-guide/kernel-parameters.rst for quotes, dashes and `--`.
test.each<[string, readonly (readonly [string, string | null])[]]>([
  ['quiet\n', [['quiet', null]]],
  [
    '  a=1\tb=2  ',
    [
      ['a', '1'],
      ['b', '2'],
    ],
  ],
  [
    'audit=0 audit=1',
    [
      ['audit', '0'],
      ['audit', '1'],
    ],
  ],
  [
    'a= b',
    [
      ['a', ''],
      ['b', null],
    ],
  ],
  ['a=b=c', [['a', 'b=c']]],
  [
    '=a b',
    [
      ['=a', null],
      ['b', null],
    ],
  ],
  ['=a=b', [['=a', 'b']]],
  [
    'param="spaces in here" x',
    [
      ['param', 'spaces in here'],
      ['x', null],
    ],
  ],
  [
    '"param=spaces in here" x',
    [
      ['param', 'spaces in here'],
      ['x', null],
    ],
  ],
  [
    '"a b" c',
    [
      ['a b', null],
      ['c', null],
    ],
  ],
  [
    'a="b"c d',
    [
      ['a', 'b"c'],
      ['d', null],
    ],
  ],
  [
    'a=b"c d"e f',
    [
      ['a', 'b"c d"e'],
      ['f', null],
    ],
  ],
  ['a="', [['a', '']]],
  ['a="b c', [['a', 'b c']]],
  ['a=1 -- b=2', [['a', '1']]],
  [
    'a=1 --b -- c',
    [
      ['a', '1'],
      ['--b', null],
    ],
  ],
  [
    '--=1 a',
    [
      ['--', '1'],
      ['a', null],
    ],
  ],
  ['', []],
])('%j', (text, expected) => {
  expect(parseCommandLine(text).map(({ name, value }) => [name, value])).toEqual(expected)
})

test('a dash equals an underscore, and letters are case-sensitive', () => {
  const line = 'module-blacklist=a module_blacklist=b Module_blacklist=c'
  expect(occurrencesOf('module_blacklist', line).map(({ value }) => value)).toEqual(['a', 'b'])
})
