import fc from 'fast-check'
import { expect, test } from 'vitest'
import { postfix } from '../../src/settings/postfix.ts'
import { cannotAsk, effectiveOn, type Files, machines, named, truths, valueOn } from '../support/surface-oracle.ts'

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
  .array(line, { maxLength: 5 })
  .map((lines) => ({ '/etc/postfix/main.cf': `compatibility_level = 3.6\n${lines.join('\n')}\n` }))

const needs = cannotAsk(['postconf'])

test.skipIf(needs)(named('postconf prints the values that driftgate reads', needs), { timeout: 240_000 }, () => {
  const all = machines(files)
  const said = truths(all, {
    each: `: > $count/etc/postfix/master.cf; postconf -c $PWD/$count/etc/postfix -n ${KEYS.join(' ')} > $count/truth 2> /dev/null`,
  })
  const wrong = all.flatMap((each, index): unknown[] =>
    KEYS.flatMap((key): unknown[] => {
      const truth = new RegExp(`^${key} =(.*)$`, 'm').exec(said[index] ?? '')?.[1]?.trim()
      const ours = valueOn({ ...postfix, rulesOf: () => ({ order: { equals: Object.is }, wins: 'last' }) }, each, key)
      return ours?.replace(/\s+/g, ' ') === truth?.replace(/\s+/g, ' ') ? [] : [{ files: each, key, ours, truth }]
    }),
  )
  expect(wrong.slice(0, 3)).toEqual([])
})

test.each(['mynetworks 127.0.0.0/8', '= loopback-only', 'inet_interfaces = all\nloopback-only'])(
  'postfix does not start with the line %j, so nothing of its file counts',
  (text) => {
    const files = { '/etc/postfix/main.cf': `${text}\ninet_interfaces = loopback-only\n` }
    expect(effectiveOn(postfix, files, 'inet_interfaces')).toMatch(/main\.cf:\d: postfix rejects a line without =/)
  },
)

test('parameters of services have dots and colons in their names', () => {
  const files = { '/etc/postfix/main.cf': 'a.b:c_limit = 3\ninet_interfaces = loopback-only\n' }
  expect(valueOn(postfix, files, 'inet_interfaces')).toBe('loopback-only')
})
