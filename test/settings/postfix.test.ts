import fc from 'fast-check'
import { expect, test } from 'vitest'
import { postfix } from '../../src/settings/postfix.ts'
import {
  agreesWith,
  cannotAsk,
  effectiveOn,
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

const KEYS = ['smtpd_banner', 'relayhost', 'mydestination'] as const

const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...KEYS),
        fc.constantFrom('=', ' = ', '\t=  '),
        fc.constantFrom('loopback-only', '127.0.0.1, ::1', 'a b', '$myhostname', 'x # y', '', 'x=y'),
        fc.constantFrom('', '', ' ', '\n  more', '\n# c\n\tmore', '\n\n  late', '\n   \n b', '\n  # c'),
      )
      .map((parts) => parts.join('')),
  },
  { weight: 2, arbitrary: fc.constantFrom('# relayhost = z', '', ' ', '  # z') },
)

const files: fc.Arbitrary<Files> = fc
  .tuple(
    fc.constantFrom('', '# c\n', ' # c\n\n'),
    fc.constantFrom('', ' relayhost = early\n', '\tmore\n'),
    fc.array(line, { maxLength: 5 }),
  )
  .map(([before, first, lines]) => ({
    '/etc/postfix/main.cf': `${before}${first}compatibility_level = 3.6\n${lines.join('\n')}\n`,
  }))

/** In one line, as postconf prints a value. */
function folded(value: string | undefined): string | undefined {
  return value?.replace(/[ \t\n\v\f\r]+/g, ' ').trim()
}

const needs = cannotAsk(['postconf'])

test.skipIf(needs)(named('postconf prints the values that driftgate reads', needs), { timeout: PATIENCE }, () => {
  const all = machines(hostile(files))
  const said = truths(all, {
    // postconf waits for a second before it refuses a file, so many wait at once.
    each: `: > $count/etc/postfix/master.cf
(postconf -c $PWD/$count/etc/postfix -n ${KEYS.join(' ')} > $count/truth 2> /dev/null || echo refused > $count/truth) &
[ $((count % 250)) -ne 249 ] || wait`,
  })
  const wrong = all.flatMap((each, index): unknown[] =>
    KEYS.flatMap((key): unknown[] => {
      const shown = new RegExp(`^${key} =([^\\n]*)$`, 'm').exec(said[index] ?? '')?.[1]
      const truth = said[index] === REFUSED ? REFUSED : folded(shown)
      const ours = valueOn({ ...postfix, rulesOf: () => ({ order: { equals: Object.is }, wins: 'last' }) }, each, key)
      return agreesWith(folded(ours), truth) ? [] : [{ files: each, key, ours, truth }]
    }),
  )
  expectAgreement({ reader: 'main.cf', program: 'postconf', texts: all.length }, wrong)
})

test.each(['mynetworks 127.0.0.0/8', '= loopback-only', 'inet_interfaces = all\nloopback-only'])(
  'postfix does not start with the line %j, so nothing of its file counts',
  (text) => {
    const files = { '/etc/postfix/main.cf': `${text}\ninet_interfaces = loopback-only\n` }
    expect(effectiveOn(postfix, files, 'inet_interfaces')).toMatch(
      /main\.cf:\d: Postfix rejects this line and does not start/,
    )
  },
)

test.each(['', '# interfaces\n', '\n'])('Postfix ignores a line with a space before all others, after %j', (before) => {
  const files = { '/etc/postfix/main.cf': `${before}  inet_interfaces = loopback-only\nx = 1\n` }
  expect(valueOn(postfix, files, 'inet_interfaces')).toBe('all')
})

test('parameters of services have dots and colons in their names', () => {
  const files = { '/etc/postfix/main.cf': 'a.b:c_limit = 3\ninet_interfaces = loopback-only\n' }
  expect(valueOn(postfix, files, 'inet_interfaces')).toBe('loopback-only')
})
