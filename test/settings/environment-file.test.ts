import { expect, test } from 'vitest'
import { parseEnvironmentFile } from '../../src/settings/service-command.ts'

// systemd's parse_env_file_internal (src/basic/env-file.c)
test.each([
  ['blanks around the sign', 'A = -H tcp://x:1 \t\n', 'A', '-H tcp://x:1'],
  ['a name with a blank is ignored', 'export A=1\nA=2\n', 'A', '2'],
  ['quotes side by side', 'A="-D"" -H x" \'y\' z\n', 'A', '-D -H xyz'],
  ['quotes within an unquoted value stay', `A=-D -l'info'\n`, 'A', `-D -l'info'`],
  ['a line end in quotes', "A='a\nb'\n", 'A', 'a\nb'],
  ['an escaped line end', 'A=a \\\n b\n', 'A', 'a  b'],
  ['escapes in quotes', String.raw`A="q\"\$\x\\"`, 'A', String.raw`q"$\x` + '\\'],
  ['an escaped blank at the end', 'A=a\\ \n', 'A', 'a '],
  ['quotes that are not closed', 'A="a\nB=b', 'A', 'a\nB=b'],
  ['an empty value', 'A=\nB=b\n', 'A', ''],
  ['line ends of Windows', 'A=a\r\nB=b\r\n', 'A', 'a'],
  ['comments', '# A=x\n  ; A=y\nA=a # b\n', 'A', 'a # b'],
])('%s', (_title, text, name, value) => {
  expect(parseEnvironmentFile(text)).toContainEqual(expect.objectContaining({ name, value }))
})

test('an assignment has the line of its name', () => {
  expect(parseEnvironmentFile("\n# x\nA='1\n2'\n\nB=3").map(({ name, line }) => [name, line])).toEqual([
    ['A', 3],
    ['B', 6],
  ])
})
