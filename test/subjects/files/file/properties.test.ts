import { describe, expect, test } from 'vitest'
import { formatMode, parseMode } from '../../../../src/model/mode.ts'
import { directoryMode } from '../../../../src/subjects/files/file/attributes.ts'
import { decodeProperties } from '../../../../src/resource-type/decode.ts'
import type { FileDesired } from '../../../../src/subjects/files/file/model.ts'
import { file } from '../../../../src/subjects/files/file/index.ts'

const complete = {
  name: '/a',
  ensure: 'present',
  owner: 'root',
  group: '0',
  mode: '0644',
  if_absent: 'create',
  force: false,
} as const

function violations(changes: Partial<FileDesired>): readonly string[] {
  const decoded = decodeProperties(file, { ...complete, ...changes })
  return decoded.ok ? [] : decoded.violations.map(({ message }) => message)
}

describe('rules', () => {
  test.each<[string, Partial<FileDesired>, readonly string[]]>([
    ['a complete file is fine', {}, []],
    ['owner is required for a file', { owner: undefined }, ['owner is required']],
    ['an empty group counts as none', { group: '' }, ['group cannot be empty']],
    ['mode is required for a directory', { ensure: 'directory', mode: undefined }, ['mode is required']],
    [
      'with if_absent nothing is required',
      { if_absent: 'drift', owner: undefined, group: undefined, mode: undefined },
      [],
    ],
    ['an owner that a template leaves empty', { if_absent: 'compliant', owner: '' }, ['owner cannot be empty']],
    [
      'if_absent with absent',
      { ensure: 'absent', if_absent: 'compliant' },
      ["'if_absent: compliant' contradicts 'ensure: absent'"],
    ],
    ['immutable with absent', { ensure: 'absent', immutable: true }, ["'immutable' contradicts 'ensure: absent'"]],
    ['absent needs no attributes', { ensure: 'absent', owner: undefined, group: undefined, mode: undefined }, []],
    [
      'a digit above 7',
      { mode: '0888' },
      ['mode "0888" is not a valid octal number: write four digits from 0 to 7, such as "0644"'],
    ],
    ['the sticky bit', { mode: '1777' }, []],
    [
      'two digits',
      { mode: '64' },
      ['mode "64" lacks the digit of the owner: write four digits from 0 to 7, such as "0644"'],
    ],
    [
      'one digit',
      { mode: '0o7' },
      ['mode "0o7" lacks the digits of owner and group: write four digits from 0 to 7, such as "0644"'],
    ],
    ['five digits', { mode: '10644' }, ['mode "10644" exceeds maximum value 7777']],
    [
      'symbolic modes',
      { mode: 'u=rw' },
      ['mode "u=rw" is not a valid octal number: write four digits from 0 to 7, such as "0644"'],
    ],
    ['force with absent', { ensure: 'absent', force: true }, []],
    [
      'force with present',
      { force: true },
      ["'force: true' is only valid with 'ensure: absent', got 'ensure: present'"],
    ],
    [
      'force with directory',
      { ensure: 'directory', force: true },
      ["'force: true' is only valid with 'ensure: absent', got 'ensure: directory'"],
    ],
    [
      'force on the root',
      { ensure: 'absent', name: '/', force: true },
      ["'force: true' cannot be used with the filesystem root"],
    ],
    ['content and source', { content: '', source: 'a' }, ["'content' and 'source' are mutually exclusive"]],
    ['an empty source counts as none', { content: 'x', source: '' }, []],
    [
      'an id beyond 32 bits',
      { owner: '4294967296' },
      ['owner "4294967296" is out of range: ids go from 0 to 4294967294'],
    ],
    [
      'the id that means no change',
      { group: '4294967295' },
      ['group "4294967295" is out of range: ids go from 0 to 4294967294'],
    ],
    ['the highest id', { owner: '4294967294' }, []],
  ])('%s', (_name, changes, expected) => {
    expect(violations(changes)).toEqual(expected)
  })
})

describe('modes', () => {
  test.each([
    ['0644', 0o644],
    ['644', 0o644],
    ['0o755', 0o755],
    ['0O700', 0o700],
    ['000', 0],
    ['0777', 0o777],
    ['1777', 0o1777],
    ['2755', 0o2755],
    ['0o4755', 0o4755],
  ])('%s is read', (text, bits) => {
    expect(parseMode(text)).toEqual({ value: bits })
  })

  test.each(['', '8', '0x1ff', '-644', ' 644', '0o', '644\n', '0', '64', '0o64', '10000'])('%j is refused', (text) => {
    expect(parseMode(text)).toHaveProperty('problem')
  })

  // The rule of the documentation: "directories get x where r or w is set", per triad.
  test.each([
    [0o644, '0755'],
    [0o600, '0700'],
    [0o640, '0750'],
    [0o222, '0333'],
    [0o400, '0500'],
    [0o111, '0111'],
    [0o000, '0000'],
    [0o755, '0755'],
  ])('directory mode of %o is %s', (bits, text) => {
    expect(formatMode(directoryMode(bits))).toBe(text)
  })
})
