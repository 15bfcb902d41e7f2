import { expect, test } from 'vitest'
import { createRedactor } from '../../../src/policy/secrets/redactor.ts'
import { redactValue } from '../../../src/policy/secrets/redact-value.ts'
import { noteTexts, secretTexts, secretTextsOfData } from '../../../src/policy/secrets/texts.ts'
import { fromPlain, type GoValue } from '../../../src/templates/govalue/index.ts'

test('a secret is every text and number in a value, at any depth, but not the keys', () => {
  const value = {
    db: [{ password: 'hunter2', ports: [5432, 12345678901234567890n] }],
    ['not-me']: new Map([['k', 'v']]),
  }
  expect(secretTexts(value)).toEqual(['hunter2', '5432', '12345678901234567890', 'v'])
})

test('true, false and numbers of few digits are too common to be redacted', () => {
  expect(secretTexts({ flag: true, none: null, empty: '', digits: [0, 1, 999, 1000] })).toEqual(['1000'])
})

test('data is looked for however short it is', () => {
  expect(
    secretTextsOfData(fromPlain({ password: 'hunter2', ports: [5432, 80], tls: true, none: '', nothing: null })),
  ).toEqual(['hunter2', '5432', '80'])
})

// Go prints a float64 of 1e21 and more with an exponent, JavaScript from 1e21 on as well, but spelt otherwise.
test('a large number is known as JavaScript and as Go print it', () => {
  expect(secretTexts(1.5e22)).toEqual(['1.5e+22'])
  expect(secretTexts(1e-7)).toEqual(['1e-7', '1e-07'])
})

test('each line of a text is a secret of its own, as differences show it', () => {
  const redactor = createRedactor([])
  noteTexts(['first-line\n  second-line\n?\n'], redactor)
  expect(redactor.text('-second-line')).toBe('-(secret)')
  expect(redactor.text('?')).toBe('(secret)')
})

test('blanks around a secret do not keep it from being found without them', () => {
  const redactor = createRedactor([])
  noteTexts([' hunter2 '], redactor)
  expect(redactor.text('password=hunter2;')).toBe('password=(secret);')
})

test('values of any kind that print as a secret are replaced in data', () => {
  const hour: GoValue = { kind: 'duration', nanoseconds: 3_600_000_000_000n }
  const secrets = secretTextsOfData([hour, 471100n])
  expect(redactValue(new Map<GoValue, GoValue>([['a', [hour, 471100n, 4711n]]]), createRedactor(secrets))).toEqual(
    new Map([['a', ['(secret)', '(secret)', 4711n]]]),
  )
  expect([true, false, null].map((each) => redactValue(each, createRedactor(['true', 'false', '<nil>'])))).toEqual([
    true,
    false,
    null,
  ])
})
