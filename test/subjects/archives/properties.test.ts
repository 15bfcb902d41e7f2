import { describe, expect, test } from 'vitest'
import { archive } from '../../../src/subjects/archives/index.ts'
import { parseSize } from '../../../src/model/size.ts'
import { decodeProperties } from '../../../src/resource-type/decode.ts'

const complete = {
  name: '/tmp/app.tar.gz',
  ensure: 'present',
  url: 'https://example.com/app.tar.gz',
  owner: 'root',
  group: '0',
}

const SECRET = 'hunter2'

function violations(changes: Readonly<Record<string, unknown>>): readonly string[] {
  const decoded = decodeProperties(archive, { ...complete, ...changes })
  return decoded.ok ? [] : decoded.violations.map(({ message }) => message)
}

describe('properties', () => {
  test.each<[string, Record<string, unknown>, readonly string[]]>([
    ['a complete archive is fine', {}, []],
    ['url is required', { url: undefined }, ['url is required']],
    ['an empty url is invalid', { url: '' }, ['url cannot be empty']],
    ['owner is required', { owner: undefined }, ['owner is required']],
    ['group is required, for absent too', { ensure: 'absent', group: '' }, ['group cannot be empty']],
    ['name must be absolute', { name: 'app.tar.gz' }, ['name must be an absolute path']],
    [
      'ensure has two values',
      { ensure: 'latest' },
      ['invalid ensure value "latest": must be one of "present" or "absent"'],
    ],
    [
      'a relative url',
      { url: 'example.com/app.tar.gz' },
      ['url must be absolute (include scheme like http:// or https://)'],
    ],
    [
      'a url of another scheme',
      { url: 'ftp://example.com/app.tar.gz' },
      ['invalid url: its scheme must be http or https'],
    ],
    [
      'an invalid url, never repeated',
      { url: `https://u:${SECRET}@:x/app.tar.gz` },
      ['invalid url: it cannot be parsed'],
    ],
    ['a url without a file', { url: 'https://example.com/' }, ['url must have a filename in the path']],
    [
      'a url of something else',
      { url: 'https://example.com/app.deb' },
      ['url filename must end in .zip, .tar.gz, .tgz, or .tar'],
    ],
    [
      'a url whose query looks like an archive',
      { url: 'https://example.com/get?f=app.tar.gz' },
      ['url filename must end in .zip, .tar.gz, .tgz, or .tar'],
    ],
    ['a name of something else', { name: '/tmp/app.deb' }, ['name must end in .zip, .tar.gz, .tgz, or .tar']],
    [
      'two kinds',
      { name: '/tmp/app.zip' },
      ['url and name must have the same archive type: url is tar.gz, name is zip'],
    ],
    [
      'tar and tar.gz are two kinds',
      { name: '/tmp/app.tar' },
      ['url and name must have the same archive type: url is tar.gz, name is tar'],
    ],
    ['tgz is tar.gz', { name: '/tmp/app.tgz' }, []],
    ['kinds are told without case', { url: 'https://example.com/APP.TGZ?token=1' }, []],
    [
      'cleanup alone',
      { cleanup: true },
      ['cleanup requires extract_parent to be set', 'cleanup requires creates to be set'],
    ],
    [
      'cleanup with an empty creates',
      { cleanup: true, extract_parent: '/opt', creates: '' },
      ['cleanup requires creates to be set'],
    ],
    ['cleanup with both', { cleanup: true, extract_parent: '/opt', creates: '/opt/app' }, []],
    ['a relative creates', { creates: 'app' }, ['creates path must be an absolute path']],
    [
      'an extract_parent with dots',
      { extract_parent: '/opt/../etc' },
      ['extract_parent path must be a canonical path, write "/etc"'],
    ],
    ['a checksum in capitals', { checksum: 'AB'.repeat(32) }, []],
    ['an empty checksum counts as none', { checksum: '' }, []],
    [
      'a checksum of another kind',
      { checksum: 'd41d8cd98f00b204e9800998ecf8427e' },
      [
        'invalid checksum value "d41d8cd98f00b204e9800998ecf8427e": must be the 64 hexadecimal digits of a sha256 checksum',
      ],
    ],
    [
      'an id beyond 32 bits',
      { owner: '4294967295' },
      ['owner "4294967295" is out of range: ids go from 0 to 4294967294'],
    ],
    [
      'a header with a line feed, its value not shown',
      { headers: { 'X-Token': `${SECRET}\nHost: evil` } },
      ['headers.X-Token contains characters that are invalid in a header value'],
    ],
    [
      'a header without a proper name',
      { headers: { 'X Token': SECRET } },
      ['headers: "X Token" is not a valid header name'],
    ],
    ['no time at all', { timeout: '0' }, ['timeout must be above 0']],
    ['no try at all', { tries: 0 }, ['tries must be at least 1']],
    [
      'a size in words',
      { max_size: 'huge' },
      ['max_size must be a number of bytes or a size with a unit, such as "500MB" or "2GiB"'],
    ],
    [
      'a size of nothing',
      { max_size: '0' },
      ['max_size must be a number of bytes or a size with a unit, such as "500MB" or "2GiB"'],
    ],
    ['sizes with and without unit', { max_size: 1048576, max_extracted_size: '1.5 GiB' }, []],
  ])('%s', (_name, changes, expected) => {
    expect(violations(changes)).toEqual(expected)
  })

  test('passwords and header values are secrets, so that the engine hides them wherever they appear', () => {
    expect(archive.properties).toMatchObject({
      password: { sensitive: true },
      headers: { sensitive: true, values: { sensitive: true } },
    })
  })
})

test.each<[string, number | undefined]>([
  ['1', 1],
  ['500MB', 500_000_000],
  ['2GiB', 2_147_483_648],
  ['2 GiB', 2_147_483_648],
  ['1.5KiB', 1536],
  ['10G', 10_737_418_240],
  ['0', 0],
  ['', undefined],
  ['GiB', undefined],
  ['-1', undefined],
  ['1 parsec', undefined],
  ['1constructor', undefined],
  ['99999999999TiB', undefined],
])('the size %j is %j', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes)
})
