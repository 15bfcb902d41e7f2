import { describe, expect, test } from 'vitest'
import { credentialHeaders, type Credentials } from '../../../src/host/http/credentials.ts'
import { showUrl } from '../../../src/host/http/http-error.ts'
import { chooseProxy, type Environment } from '../../../src/host/http/proxy.ts'
import { followRedirect } from '../../../src/host/http/redirect.ts'
import { parseContentRange, resumeValidator } from '../../../src/host/http/transfer.ts'

test('a URL is shown without anything that may be secret', () => {
  const url = new URL('https://user:hunter2@example.com:8443/a/b.tgz?X-Amz-Signature=hunter2#hunter2')
  expect(showUrl(url)).toBe('https://example.com:8443/a/b.tgz?…')
})

describe('redirects', () => {
  test.each<[string, string, string, boolean]>([
    ['https://a.example/x', '/y', 'https://a.example/y', true],
    ['https://a.example/x', 'https://a.example:443/y', 'https://a.example/y', true],
    ['https://a.example/x', 'https://b.example/y', 'https://b.example/y', false],
    ['https://a.example/x', 'https://sub.a.example/y', 'https://sub.a.example/y', false],
    ['https://a.example/x', 'https://a.example:8443/y', 'https://a.example:8443/y', false],
    ['https://a.example/x', 'http://a.example/y', 'http://a.example/y', false],
    ['http://a.example/x', 'https://a.example/y', 'https://a.example/y', true],
    ['http://a.example:8080/x', 'https://a.example/y', 'https://a.example/y', false],
    ['http://a.example/x', 'https://a.example:8443/y', 'https://a.example:8443/y', false],
    ['https://a.example/x', '//b.example/y', 'https://b.example/y', false],
    ['https://a.example/x', 'https://u:p@a.example/y', 'https://a.example/y', true],
    ['https://A.example/x', 'https://a.EXAMPLE/y', 'https://a.example/y', true],
  ])('%s -> %s', (from, location, to, keepsCredentials) => {
    const redirect = followRedirect(new URL(from), location)
    expect([redirect.url.href, redirect.keepsCredentials]).toEqual([to, keepsCredentials])
  })

  test.each([undefined, 'https://', 'ftp://a.example/x', 'file:///etc/passwd'])('to %s is refused', (location) => {
    expect(() => followRedirect(new URL('https://a.example/x?secret'), location)).toThrow(
      /^https:\/\/a.example\/x\?… redirects/,
    )
  })
})

describe('proxies', () => {
  const both = { HTTP_PROXY: 'http://plain:3128', HTTPS_PROXY: 'secure:3129' }

  test.each<[string, string, Environment, string | undefined]>([
    ['none', 'https://a.example/', {}, undefined],
    ['by protocol: http', 'http://a.example/', both, 'http://plain:3128/'],
    ['by protocol: https, the scheme left out', 'https://a.example/', both, 'http://secure:3129/'],
    ['small letters win', 'http://a.example/', { ...both, http_proxy: 'http://small' }, 'http://small/'],
    ['no proxy if empty', 'http://a.example/', { http_proxy: '', HTTP_PROXY: 'http://plain' }, undefined],
    ['not from a web request', 'http://a.example/', { ...both, REQUEST_METHOD: 'GET' }, undefined],
    ['never for this machine', 'http://localhost:80/', both, undefined],
    ['never for its addresses', 'http://127.1.2.3/', both, undefined],
    ['never for its IPv6 address', 'http://[::1]/', both, undefined],
  ])('%s', (_name, url, environment, expected) => {
    expect(chooseProxy(new URL(url), environment)?.href).toBe(expected)
  })

  test.each<[string, string, boolean]>([
    ['*', 'http://a.example/', true],
    ['a.example', 'http://a.example/', true],
    ['a.example', 'http://x.a.example/', true],
    ['a.example', 'http://xa.example/', false],
    ['.a.example', 'http://x.a.example/', true],
    ['.a.example', 'http://a.example/', false],
    ['*.a.example', 'http://x.a.example/', true],
    ['A.Example', 'http://a.example/', true],
    ['a.example:8080', 'http://a.example:8080/', true],
    ['a.example:8080', 'http://a.example/', false],
    ['a.example:80', 'http://a.example/', true],
    ['b.example, a.example', 'http://a.example/', true],
    ['b.example a.example', 'http://a.example/', true],
    ['10.0.0.1', 'http://10.0.0.1/', true],
    ['10.0.0.1', 'http://110.0.0.1/', false],
    ['0.0.1', 'http://10.0.0.1/', false],
    ['10.0.0.0/8', 'http://10.200.3.4/', true],
    ['10.0.0.0/8', 'http://11.0.0.1/', false],
    ['10.0.0.0/99', 'http://10.0.0.1/', false],
    ['10.0.0.0/+8', 'http://10.0.0.1/', false],
    ['fd00::/8', 'http://[fd12::1]/', true],
    ['[fd12::1]:80', 'http://[fd12::1]/', true],
    ['', 'http://a.example/', false],
  ])('NO_PROXY %j exempts %s: %s', (rule, url, isExempt) => {
    const environment = { http_proxy: 'http://proxy', no_proxy: rule }
    expect(chooseProxy(new URL(url), environment) === undefined).toBe(isExempt)
  })

  test.each([
    ['http://', /is not a URL/],
    ['socks5://proxy:1080', /socks5:\/\/ proxies are not supported/],
  ])('%s is refused, without its password', (value, message) => {
    const environment = { https_proxy: value.replace('//', '//user:hunter2@') }
    const call = (): unknown => chooseProxy(new URL('https://a.example/'), environment)
    expect(call).toThrow(message)
    expect(call).not.toThrow(/hunter2/)
  })
})

describe('credentials', () => {
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`

  test.each<[string, string, Partial<Credentials>, Record<string, string>]>([
    ['none', 'https://a.example/', {}, {}],
    ['user and password', 'https://a.example/', { username: 'u', password: 'p:q' }, { authorization: basic('u:p:q') }],
    ['a user without a password is not sent', 'https://a.example/', { username: 'u' }, {}],
    ['a password without a user is not sent', 'https://a.example/', { password: 'p' }, {}],
    ['in the URL', 'https://u%40x:p%20q@a.example/', {}, { authorization: basic('u@x:p q') }],
    ['in the URL, not escaped', 'https://u:100%@a.example/', {}, { authorization: basic('u:100%') }],
    [
      'given ones win over the URL',
      'https://v:w@a.example/',
      { username: 'u', password: 'p' },
      { authorization: basic('u:p') },
    ],
    [
      'a header wins over all, however it is written',
      'https://v:w@a.example/',
      { username: 'u', password: 'p', headers: { AUTHORIZATION: 'Bearer t' } },
      { authorization: 'Bearer t' },
    ],
    ['other headers are kept', 'https://a.example/', { headers: { 'X-Token': 't' } }, { 'x-token': 't' }],
  ])('%s', (_name, url, credentials, headers) => {
    expect(credentialHeaders(new URL(url), { headers: {}, ...credentials })).toEqual(headers)
  })
})

describe('resuming', () => {
  const date = 'Wed, 21 Oct 2015 07:28:00 GMT'
  const earlier = 'Wed, 21 Oct 2015 07:27:59 GMT'

  test.each([
    ['a strong tag', { etag: '"a"' }, '"a"'],
    ['a weak tag', { etag: 'W/"a"' }, undefined],
    ['a weak tag hides the date', { etag: 'W/"a"', date, 'last-modified': earlier }, undefined],
    ['an old date', { date, 'last-modified': earlier }, earlier],
    ['a date of the same second', { date, 'last-modified': date }, undefined],
    ['a date alone', { 'last-modified': earlier }, undefined],
    ['no ranges', { etag: '"a"', 'accept-ranges': 'none' }, undefined],
    ['nothing', {}, undefined],
  ])('%s', (_name, headers, validator) => {
    expect(resumeValidator(headers)).toBe(validator)
  })

  test.each([
    ['bytes 10-19/20', { start: 10, totalBytes: 20 }],
    ['bytes 10-19/*', { start: 10, totalBytes: undefined }],
    ['bytes */20', undefined],
    ['10-19/20', undefined],
    [undefined, undefined],
  ])('the range %s', (value, range) => {
    expect(parseContentRange(value)).toEqual(range)
  })
})
