import { expect, test } from 'vitest'
import { createRedactor, SECRET } from '../../../src/policy/secrets/redactor.ts'

const PASSWORD = 'p"ä/s s+w?rd>&~hunter2'

const { text } = createRedactor([PASSWORD])

test.each([
  ['as it is', PASSWORD],
  ['in JSON', JSON.stringify({ password: PASSWORD })],
  ['in JSON with escaped slashes', JSON.stringify(PASSWORD).replaceAll('/', '\\/')],
  ['in a URL', `https://x/?password=${encodeURIComponent(PASSWORD)}`],
  ['in a form', new URLSearchParams({ password: PASSWORD }).toString().replace(/%7E/i, '~')],
  ['in a URL with small digits', encodeURIComponent(PASSWORD).replaceAll(/%[\dA-F]{2}/g, (code) => code.toLowerCase())],
])('a secret is found %s', (_how, shown) => {
  expect(text(`got ${shown} back`)).not.toMatch(/hunter2|w%3F|w\?rd/i)
  expect(text(`got ${shown} back`)).toContain(SECRET)
})

test.each(['', 'a', 'ab', 'user:', 'admin:', 'x:y:'])('a secret is found in Base64 behind "%s"', (before) => {
  for (const encoding of ['base64', 'base64url'] as const) {
    const shown = Buffer.from(`${before}${PASSWORD}, and more`).toString(encoding)
    const hidden = text(`Authorization: Basic ${shown}`)
    expect(hidden).toContain(SECRET)
    // What is left says nothing of it but up to the bits of one character at each end.
    const left = Buffer.from(hidden.replace('Authorization: Basic ', '').split(SECRET).join(''), encoding).toString(
      'utf8',
    )
    expect(left).not.toMatch(/hunter|s\+w/)
  }
})

test('six characters of Base64 are looked for', () => {
  const { text: textWith } = createRedactor(['abcde'])
  expect(textWith(Buffer.from('abcdefgh').toString('base64'))).toBe(`${SECRET}VmZ2g=`)
})

test('a few characters of Base64 are not looked for', () => {
  const { text: textWith } = createRedactor(['abcd'])
  // Behind one byte four characters of eight are those of the secret alone.
  const shown = Buffer.from('xabcd').toString('base64')
  expect(textWith(shown)).toBe(shown)
})

test.each([
  ['at its end', (whole: string) => `said ${whole.slice(0, 9)}…`, `said ${SECRET}…`],
  ['at its start', (whole: string) => `…${whole.slice(5)} said`, `…${SECRET} said`],
  [
    'around what is left out',
    (whole: string) => `a ${whole.slice(0, 8)}\n[1000 bytes left out]\n${whole.slice(12)} b`,
    `a ${SECRET}\n[1000 bytes left out]\n${SECRET} b`,
  ],
  ['of three characters', (whole: string) => `${whole.slice(0, 3)}…${whole.slice(-3)}`, `${SECRET}…${SECRET}`],
])('a part of a secret that was cut is hidden %s', (_where, cut, shown) => {
  expect(text(cut(PASSWORD))).toBe(shown)
})

test('text that resembles part of a secret stays if nothing was cut', () => {
  expect(text('p"ä/s and hunter2')).toBe('p"ä/s and hunter2')
  expect(text('… and so on …')).toBe('… and so on …')
  expect(text('hunter2 cut…off p"ä/s')).toBe('hunter2 cut…off p"ä/s')
  expect(text('p"…r2')).toBe('p"…r2')
  expect(text('q"ä/s s…nter3')).toBe('q"ä/s s…nter3')
})
