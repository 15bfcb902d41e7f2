import { expect, test } from 'vitest'
import { createRedactor, hideTexts, redactProblem } from '../../../src/policy/secrets/redactor.ts'

test('a known secret disappears from every sentence it is part of', () => {
  const redactor = createRedactor([], 'machine')
  redactor.addSecret('hunter2')
  redactor.addSecret('hunter2-and-more')
  expect(redactor.text('password hunter2-and-more, then hunter2.')).toBe('password (secret), then (secret).')
  expect(redactor.value('hunter2')).toEqual(redactor.hide('hunter2'))
  expect(redactor.value('hunter2!')).toBe('(secret)!')
})

test.each(['a', '?'])(
  'a short secret (%s) does not blank out half of every sentence, but never stands alone',
  (short) => {
    const redactor = createRedactor([], 'machine')
    redactor.addSecret(short)
    expect(redactor.text(`${short} file at /${short}`)).toBe(`${short} file at /${short}`)
    expect(redactor.text(short)).toBe('(secret)')
  },
)

test('no text is not a secret', () => {
  const redactor = createRedactor([''], 'machine')
  redactor.addSecret('')
  expect([redactor.knowsSecrets(), redactor.text(''), redactor.text('a')]).toEqual([false, '', 'a'])
  expect(createRedactor(['a']).knowsSecrets()).toBe(true)
})

test('digests tell values apart on one machine and mean nothing on another', () => {
  const here = createRedactor([], 'machine')
  expect(here.hide('x')).toEqual(createRedactor([], 'machine').hide('x'))
  expect(here.hide('x')).not.toEqual(here.hide('y'))
  // The first half of what openssl dgst -sha256 -hmac machine says of the text in JSON.
  expect(here.hide('hunter2')).toEqual({ redacted: true, digest: '776f8ef6e47de280' })
  expect(here.hide('x')).not.toEqual(createRedactor([], 'elsewhere').hide('x'))
  expect(createRedactor([]).hide('x')).not.toEqual(createRedactor([]).hide('x'))
})

test('a hidden drift keeps its place but neither values nor diff', () => {
  const redactor = createRedactor([], 'machine')
  const hidden = redactor.hideDrift({ property: 'content', path: 'a', desired: 's1', observed: 's2', diff: '-s2\n+s1' })
  expect(hidden.property).toBe('content')
  expect(hidden.path).toBe('a')
  expect(hidden.diff).toBeUndefined()
  expect(JSON.stringify(hidden)).not.toMatch(/s1|s2/)
  expect(hidden.desired).not.toEqual(hidden.observed)
})

test('a secret that is learnt later counts from then on, the longest one first', () => {
  const redactor = createRedactor([], 'key')
  redactor.addSecret('abcd')
  expect(redactor.text('abcdef, abcd')).toBe('(secret)ef, (secret)')
  redactor.addSecret('abcdef')
  expect(redactor.text('abcdef, abcd')).toBe('(secret), (secret)')
})

test('a number is hidden where it is a secret of at least four digits', () => {
  const redactor = createRedactor(['471100', '1234', '7'])
  expect(redactor.value(471100)).toMatchObject({ redacted: true })
  expect(redactor.value(1234)).toMatchObject({ redacted: true })
  expect(redactor.value(4711)).toBe(4711)
  expect(redactor.value(7)).toBe(7)
  expect(redactor.value({ at_least: 471100, one_of: [1, 471100] })).toEqual({
    at_least: '(secret)',
    one_of: [1, '(secret)'],
  })
})

test('a problem loses the secrets of its message, and its line if that holds one', () => {
  const redactor = createRedactor(['hunter2'])
  const problem = { message: 'no hunter2', severity: 'error' } as const
  expect(redactProblem({ ...problem, sourceLine: 'x: y' }, redactor)).toEqual({
    message: 'no (secret)',
    severity: 'error',
    sourceLine: 'x: y',
  })
  expect(redactProblem({ ...problem, sourceLine: 'x: hunter2' }, redactor)).not.toHaveProperty('sourceLine')
})

test('a text is identified by its sha256, and one with a secret by a digest that only this machine can make', () => {
  const redactor = createRedactor(['hunter2'], 'machine')
  // The digest of "abc" in FIPS 180-2, appendix B.1.
  expect(redactor.digest('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  expect(redactor.digest('no hunter2')).toBe(redactor.hide('no hunter2').digest)
  // Neither is valid UTF-8, and both would become U+FFFD.
  expect(redactor.digest('\ud800')).not.toBe(redactor.digest('\ud801'))
})

test.each([
  ['hunter2 and hunter2-more', ['hunter2', 'hunter2-more'], '(secret) and (secret)'],
  ['want "a", found "b": a file', ['a', 'b'], 'want "(secret)", found "(secret)": a file'],
  ['a file of abcd', ['abcd'], 'a file of (secret)'],
])('of %j the texts %j are hidden, short ones in quotes alone', (sentence, secrets, shown) => {
  expect(hideTexts(sentence, secrets)).toBe(shown)
})
