import { expect, test } from 'vitest'
import { readUrl } from '../../../src/host/http/written-url.ts'

// What net/url of Go 1.26 makes of them: URL.Parse, then Host and RequestURI; null where it refuses one.
test.each<[string, string | undefined, readonly [string, string] | null]>([
  ['http://h.test', undefined, ['h.test', '/']],
  ['http://H.test:80/a/../%2E%2e/b', undefined, ['H.test:80', '/a/../%2E%2e/b']],
  ['http://h.test/a b"<ä%41', undefined, ['h.test', '/a%20b%22%3C%C3%A4A']],
  ["http://h.test/!$&'()*+,;=:@[]", undefined, ['h.test', "/!$&'()*+,;=:@[]"]],
  ['http://h.test?a=b#c', undefined, ['h.test', '/?a=b']],
  ['http://h.test/a/b', '../c', ['h.test', '/c']],
  ['http://h.test/', '../%2f!</\'"', ['h.test', '/%21%3C/%27%22']],
  ['http://h.test/', '..///"^ä|', ['h.test', '//%22%5E%C3%A4%7C']],
  ['http://h.test/a?b', '', ['h.test', '/a?b']],
  ['http://h.test/a?b', '?c', ['h.test', '/a?c']],
  ['http://h.test/a', '//o.test/x', ['o.test', '/x']],
  ['http://h.test', '/////', ['h.test', '/////']],
  ['http://h.test/a/', './', ['h.test', '/a/']],
  ['http://h.test/a', 'http://o.test/../b', ['o.test', '/b']],
  ['http://h.test/a', 'b:c', null],
  ['http://h.test/%zz', undefined, null],
  ['http:h.test', undefined, null],
  ['http:///a', undefined, null],
  ['http://a\\b/', undefined, null],
])('%s, then %s', (text, reference, expected) => {
  const first = readUrl(text)
  const found = typeof first === 'string' || reference === undefined ? first : readUrl(reference, first)
  expect(typeof found === 'string' ? null : [found.host, found.path]).toEqual(expected)
})
