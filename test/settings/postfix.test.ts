import fc from 'fast-check'
import { test } from 'vitest'
import { postfix } from '../../src/settings/postfix.ts'
import { cannotAsk, type Files, machines, named, truths, valueOn } from '../support/surface-oracle.ts'
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
  .array(line, { maxLength: 5 })
  .map((lines) => ({ '/etc/postfix/main.cf': `compatibility_level = 3.6\n${lines.join('\n')}\n` }))

const needs = cannotAsk(['postconf'])

test.skipIf(needs)(named('postconf prints the values that driftgate reads', needs), { timeout: PATIENCE }, () => {
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
  expectAgreement({ reader: 'main.cf', program: 'postconf', texts: all.length }, wrong)
})
