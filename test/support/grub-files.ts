import fc from 'fast-check'
import type { Files } from './surface-oracle.ts'

const VARIABLES = ['GRUB_CMDLINE_LINUX', 'GRUB_CMDLINE_LINUX_DEFAULT', 'MINE'] as const

const words = fc.constantFrom('audit=1', 'audit=0 audit=1', 'quiet splash', '', 'a-b=c_d', 'x=1,2 y')
const value = fc.oneof(
  { weight: 4, arbitrary: words.map((text) => `"${text}"`) },
  { weight: 2, arbitrary: words.map((text) => `'${text}'`) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom('$', '${'), fc.constantFrom(...VARIABLES), words)
      .map(([open, name, text]) => `"${open}${name}${open === '$' ? '' : '}'} ${text}"`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'audit=1',
      '""',
      '',
      '$MINE',
      '"a=\\"b c\\""',
      '"\\$MINE x"',
      '`echo audit=1`',
      '"$(echo b)"',
      '"a"\'b\'',
      'a;b',

      '"${MINE:-x}"',
      '"a',
      "'b",
      '$UNKNOWN',
      '"$UNKNOWN a"',
      '"a" # b',
      'a#b',
      '"a" b',
      'a\\ b',
      '*',
      '~',
      '"a\\',
      'a && c',
    ),
  },
)
const line = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.constantFrom('', '', '', ' ', 'export '), fc.constantFrom(...VARIABLES), value)
      .map(([lead, name, text]) => `${lead}${name}=${text}`),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('# GRUB_CMDLINE_LINUX=x', '', '  # y', 'GRUB_TIMEOUT=5', 'GRUB_DISTRIBUTOR=`echo x`'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'unset MINE',
      'GRUB_CMDLINE_LINUX+=x',
      'if true; then',
      'fi',
      'exit 0',
      'return',
      'MINE=a GRUB_TIMEOUT=6',
      ': \\',

      'cat > /dev/null << E',
      'E',
      '[ -n "$MINE" ] && MINE=b',
      'MINE= true',
      'readonly MINE',
      'test -z "$MINE" || MINE=c',
    ),
  },
)
const text = fc.array(line, { maxLength: 5 }).map((lines) => `${lines.join('\n')}\n`)

/** Names that a shell's pattern finds, in its order, and some that it does not. */
const dropIns = fc.dictionary(fc.constantFrom('10-a.cfg', '9-b.cfg', 'z.cfg', 'Z.cfg', '.hidden.cfg', 'n.conf'), text, {
  maxKeys: 3,
})

/** What a menu of GRUB is generated from on a Debian, with lines of which a shell makes this and that. */
export const grubFiles: fc.Arbitrary<Files> = fc.tuple(text, dropIns).map(([main, others]) => ({
  '/usr/sbin/update-grub': '',
  '/etc/default/grub': main,
  ...Object.fromEntries(Object.entries(others).map(([name, each]) => [`/etc/default/grub.d/${name}`, each])),
}))
