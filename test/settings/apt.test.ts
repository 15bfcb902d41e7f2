import fc from 'fast-check'
import { test } from 'vitest'
import { apt } from '../../src/settings/apt.ts'
import {
  agreesWith,
  cannotAsk,
  type Files,
  machines,
  named,
  REFUSED,
  truths,
  valueOn,
} from '../support/surface-oracle.ts'
import { hostile } from '../support/hostile-files.ts'
import { expectAgreement } from '../support/proof.ts'
import { PATIENCE } from '../support/soak.ts'

const statement = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('X::a', 'x::A', 'X::b::c', 'X::b'),
      fc.constantFrom('"1"', 'yes', '"a b"', '"// no"', '"#x"', '0'),
    )
    .map(([key, value]) => `${key} ${value};`),
  fc.constantFrom(
    'X { a "2"; b { c "3"; }; };',
    'X\n{\n  // a "4";\n  a "5"; # a "6"\n  /* a "7"; */ };',
    'X::b "8" { c "9"; };',
    'X::l { "p"; "q r"; };',
    'X::l:: "s";',
    '// X::a "t";',
    '# X::a "u";',
    '/* X::a "v"; */ X::a "w";',
    'X::a\n  "x";',
    'X::a;',
    'X { a; };',
    'X::l { p; "q"; };',
    '#include "/missing";',
    '#include /dev/null;',
    '',
  ),
)

const files: fc.Arbitrary<Files> = fc.dictionary(
  fc.oneof(
    fc
      .constantFrom('10', '9', 'B', 'a', 'c.conf', 'c.bak', 'd~', '.e', 'f.conf.x', '20x-y_z')
      .map((name) => `/etc/apt/apt.conf.d/${name}`),
    fc.constant('/etc/apt/apt.conf'),
  ),
  fc.array(statement, { maxLength: 4 }).map((lines) => `${lines.join('\n')}\n`),
  { minKeys: 1, maxKeys: 4 },
)

const needs = cannotAsk(['apt-config'])

test.skipIf(needs)(named('apt-config dumps the values that driftgate reads', needs), { timeout: PATIENCE }, () => {
  const all = machines(hostile(files))
  const said = truths(all, {
    directories: ['/etc/apt/apt.conf.d'],
    each: `echo "Dir \\"$PWD/$count\\";" > $count/c
APT_CONFIG=$PWD/$count/c apt-config dump X > $count/truth 2> /dev/null || echo refused > $count/truth`,
  })
  const wrong = all.flatMap((each, index): unknown[] =>
    ['X::a', 'X::b', 'X::b::c', 'X::l::'].flatMap((key): unknown[] => {
      const lines = [...(said[index] ?? '').matchAll(/^(\S+) "([^\n]*)";$/gim)]
      const values = lines.filter(([, name]) => name?.toLowerCase() === key.toLowerCase()).map(([, , value]) => value)
      const ours = valueOn(apt, each, key) ?? ''
      const truth = said[index] === REFUSED ? REFUSED : values.join(', ')
      return agreesWith(ours, truth) ? [] : [{ files: each, key, ours, truth }]
    }),
  )
  expectAgreement({ reader: 'apt.conf', program: 'apt-config', texts: all.length }, wrong)
})
