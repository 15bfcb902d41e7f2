import { expect, test } from 'vitest'
import { holdsUrlSecret, maskUrlPasswords, withoutUrlSecrets } from '../../src/model/url-secrets.ts'

test.each([
  ['https://bob:pw@example.org/x.tgz', 'https://(secret)@example.org/x.tgz', true],
  ['https://example.org/x.tgz?X-Amz-Signature=abc&v=1#f', 'https://example.org/x.tgz?(secret)#(secret)', true],
  ['https://example.org/x.tgz?v=1', 'https://example.org/x.tgz?(secret)', false],
  ['https://bob:{{ Data.pw }}@example.org/x.tgz', 'https://(secret)@example.org/x.tgz', false],
  ['https://example.org/x.tgz', 'https://example.org/x.tgz', false],
  ['https://example.org/x.tgz?sig=abc', 'https://example.org/x.tgz?(secret)', true],
  ['https://example.org/x.tgz?v=1&pass=', 'https://example.org/x.tgz?(secret)', false],
  ['/srv/a?b', '/srv/a?b', false],
  ['HTTPS://bob:p@w@example.org/x', 'HTTPS://(secret)@example.org/x', true],
  ['https://bob@example.org:8443/x', 'https://(secret)@example.org:8443/x', false],
  ['https://example.org/?a=key=b&{{ .a }}&Token={{ .t }}', 'https://example.org/?(secret)', false],
  ['see https://bob:pw@example.org/', 'see https://bob:pw@example.org/', false],
])('an address is shown without secrets: %s', (text, shown, holds) => {
  expect(withoutUrlSecrets(text)).toBe(shown)
  expect(holdsUrlSecret(text)).toBe(holds)
})

test.each([
  ['url: http://user:hunter2@host/x', 'url: http://user:*******@host/x'],
  ['a "https://u:p@ss@host", b', 'a "https://u:****@host", b'],
  ['http://host:80/a@b', 'http://host:80/a@b'],
  ['http://user@host', 'http://user@host'],
  ['HTTPS://User:Pw@host', 'HTTPS://User:**@host'],
])('the password in %s is masked in its place', (text, masked) => {
  expect(maskUrlPasswords(text)).toBe(masked)
})
