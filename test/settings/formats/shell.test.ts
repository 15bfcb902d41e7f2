import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shell, withVariables } from '../../../src/settings/formats/shell.ts'
import { hostile } from '../../support/hostile-files.ts'
import { expectAgreement } from '../../support/proof.ts'
import { sample } from '../../support/soak.ts'

const word = fc.oneof(
  fc.constantFrom(
    'a',
    '',
    '"a b"',
    "'x $y'",
    '"\\$5 \\\\ \\`"',
    '5',
    'a,b:c/d',
    '"$A-${B}"',
    '$A',
    '"#x"',
    '"x \\\n y"',
    "'#'",
    'a=b',
  ),
)
const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom('', 'export ', '  '), fc.constantFrom('A', 'B'), word, fc.constantFrom('', ' # c', ' '))
      .map(([lead, key, value, tail]) => `${lead}${key}=${value}${tail}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '# A=9',
      '',
      'if false; then',
      'fi',
      ':',
      'A=`echo 7`',
      'B=$(echo 8)',
      'A="x',
      'y"',
      'exit',
      'A=b\\',
      'unset A',
      'A=1 B=2',
      'A=x;B=y',
    ),
  },
)

test('a comment is not continued', () => {
  const read = shell.parse('a=1 # x \\\na=2\nb="1 \\\n2"\nc="#" \\\n# x\n', '/f')
  expect(read.kind === 'known' && read.value.map(({ key, value }) => [key, value])).toEqual([
    ['a', '1'],
    ['a', '2'],
    ['b', '1 2'],
    ['c', '#'],
  ])
})

test('a vertical tab or form feed is a part of a word', () => {
  const read = shell.parse('a="x"\v\n\fb=y\n\vexport c=z\nd=x\fy\n', '/f')
  expect(read.kind === 'known' && read.value.map(({ key, unclear }) => [key, unclear === undefined])).toEqual([
    ['*', false],
    ['*', false],
    ['*', false],
    ['d', false],
  ])
})

test('every clear value equals the value that a shell assigns', () => {
  const written = fc.array(line, { maxLength: 6 }).map((lines) => ({ text: `${lines.join('\n')}\n` }))
  const texts = sample(hostile(written), { usual: 500, soak: 10_000 }).map(({ text = '' }) => text)
  const script = texts.map(
    (text) => `(eval ${quoted(text)}; printf '%s\\n' "$A" "$B") 2>/dev/null < /dev/null || echo failed`,
  )
  const said = texts.map((_, index) => index)
  const truth = execFileSync('sh', [], {
    input: script.map((each, index) => `echo "@${said[index]}"; ${each}`).join('\n'),
    encoding: 'utf8',
  })
    .split(/^@\d+\n/m)
    .slice(1)
  let clear = 0
  const wrong = texts.flatMap((text, index): unknown[] => {
    const read = shell.parse(text, '/f')
    const values = truth[index]?.split('\n') ?? []
    // A file that fails, or leaves, is no configuration.
    if (read.kind === 'unknown' || values.length !== 3) return []
    const settled = withVariables(read.value)
    return ['A', 'B'].flatMap((key, at): unknown[] => {
      const last = settled.findLast((each) => each.key === key || each.key === '*')
      if (last?.unclear !== undefined) return []
      clear += 1
      return (last?.value ?? '') === values[at] ? [] : [{ text, key, ours: last?.value, truth: values[at] }]
    })
  })
  expectAgreement({ reader: 'assignments of a shell', program: 'dash', texts: texts.length }, wrong)
  expect(clear).toBeGreaterThan(300)
})

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

// dash and bash leave `b\` in A.
test('a backslash at the end of a file is a part of a word', () => {
  expect(shell.parse('A=b\\', '/f')).toMatchObject({ kind: 'unknown', detail: '/f ends in a backslash' })
  expect(shell.parse('A="b\\\\"', '/f')).toMatchObject({ value: [{ value: 'b\\' }] })
})
