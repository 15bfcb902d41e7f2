import { describe, expect, test } from 'vitest'
import { known, unknown } from '../../../src/model/observation.ts'
import {
  type CertificateState,
  type CertificateDesired,
  decideCertificate,
} from '../../../src/subjects/certificates/decide.ts'
import { certificate as type } from '../../../src/subjects/certificates/index.ts'
import { derAt, derChildren } from '../../../src/subjects/certificates/der.ts'
import { addressOf } from '../../../src/subjects/certificates/words.ts'
import { parseCertificates } from '../../../src/subjects/certificates/parse.ts'

const NOW = Date.parse('2026-06-01T00:00:00Z')
const DAY = 86_400_000

function decided(wanted: Partial<CertificateDesired>, state: Partial<CertificateState> = {}, given: object = {}) {
  const certificate = {
    subject: 'CN=a',
    issuer: 'CN=Root',
    names: ['a.example.org', '*.example.net'],
    notBeforeMs: NOW - DAY,
    notAfterMs: NOW + 30 * DAY + 1,
    keyType: 'ec',
    keyBits: 256,
    signature: 'ecdsa-with-SHA256',
    fingerprint: 'ff',
    ...given,
  }
  return decideCertificate(
    { name: '/a.pem', if_absent: 'drift', ...wanted },
    {
      kind: 'present',
      state: { certificate, nowMs: NOW, chain: known(null), other: known('ff'), ...state },
      context: undefined,
    },
  )
}

describe('compliant', () => {
  test.each([
    ['nothing said', {}],
    ['as many days as it has', { days_left: { at_least: 30 } }],
    ['no other name', { names: { at_most: ['a.example.org', '*.Example.net', 'b.example.org'] } }],
    ['all of these names', { names: { at_least: ['A.example.org', 'www.example.net'] } }],
    ['its names, one of which a star covers', { names: { includes: ['A.example.org', 'www.example.net'] } }],
    ['its names in another order', { names: ['*.example.net', 'a.example.org'] }],
    ['a name that it does not have', { names: { excludes: ['b.example.org'] } }],
    ['its subject and issuer', { subject: 'CN=a', issuer: { matches: '.*CN=Root' } }],
    ['its key', { key_type: { one_of: ['rsa', 'ec'] }, key_bits: { at_least: 256 } }],
    ['its signature', { signature: { not_matches: '.*(?i:sha1|md5).*' } }],
    ['its chain', { chain: 'valid' }],
    ['the one of a file', { same_as: '/b.pem' }],
  ] as const)('%s', (_name, wanted) => {
    expect(decided(wanted)).toMatchObject({ drift: [], unknown: [], plan: { kind: 'none' } })
  })
})

describe('drifted', () => {
  test.each([
    ['days', { days_left: { at_least: 31 } }, 'days_left', 30],
    ['names', { names: { includes: ['example.net'] } }, 'names', 'a.example.org, *.example.net'],
    ['names below a star', { names: { includes: ['a.b.example.net'] } }, 'names', 'a.example.org, *.example.net'],
    ['another star', { names: { includes: ['*.example.org'] } }, 'names', 'a.example.org, *.example.net'],
    ['a name beyond those', { names: { at_most: ['a.example.org'] } }, 'names', 'a.example.org, *.example.net'],
    [
      'a name missing from the certificate',
      { names: { at_least: ['example.net'] } },
      'names',
      'a.example.org, *.example.net',
    ],
    ['a name too much', { names: { excludes: ['a.example.org'] } }, 'names', 'a.example.org, *.example.net'],
    ['the subject', { subject: 'CN=b' }, 'subject', 'CN=a'],
    ['the issuer', { issuer: 'CN=b' }, 'issuer', 'CN=Root'],
    ['the kind of key', { key_type: 'rsa' }, 'key_type', 'ec'],
    ['the length of the key', { key_bits: { at_least: 384 } }, 'key_bits', 256],
    ['the signature', { signature: 'ED25519' }, 'signature', 'ecdsa-with-SHA256'],
  ] as const)('%s', (_name, wanted, property, observed) => {
    const { drift, plan } = decided(wanted)
    expect(drift).toMatchObject([{ property, observed }])
    expect(plan.kind).toBe('refuse')
  })

  test.each([
    ['expired', { notAfterMs: NOW - 1 }, 'not after 2026-05-31T23:59:59.999Z'],
    ['not yet valid', { notBeforeMs: NOW + 1000 }, 'not before 2026-06-01T00:00:01Z'],
  ])('a certificate that is %s is drift without a desired property', (_name, given, observed) => {
    expect(decided({}, {}, given).drift).toEqual([{ property: 'validity', desired: 'valid', observed }])
  })

  test('too few days come with the time of the end', () => {
    expect(decided({ days_left: { at_least: 31 } }).drift).toMatchObject([
      { property: 'days_left', note: 'valid until 2026-07-01T00:00:00.001Z' },
    ])
  })

  test('both ends of the time still count', () => {
    expect(decided({}, {}, { notAfterMs: NOW, notBeforeMs: NOW }).drift).toEqual([])
  })

  test('a chain that leads nowhere', () => {
    expect(decided({ chain: 'valid' }, { chain: known('nobody vouches') }).drift).toEqual([
      { property: 'chain', desired: 'valid', observed: 'invalid', note: 'nobody vouches', whole: 'nobody vouches' },
    ])
  })

  test.each([
    [known('aa'), 'sha256 aa', '/b.pem contains another certificate'],
    [known(null), '/b.pem', '/b.pem does not exist'],
  ])('another one than that of the file', (other, desired, note) => {
    expect(decided({ same_as: '/b.pem' }, { other }).drift).toEqual([
      { property: 'same_as', desired, observed: 'sha256 ff', note },
    ])
  })
})

test('unreadable values are unknown', () => {
  const denied = unknown('permission-denied', 'nobody may read it')
  const { drift, unknown: unclear } = decided({ chain: 'valid', same_as: '/b.pem' }, { chain: denied, other: denied })
  expect(drift).toEqual([])
  expect(unclear.map(({ property }) => property)).toEqual(['chain', 'same_as'])
})

test('a missing certificate is drift, or compliant with if_absent', () => {
  const absent = { kind: 'absent', context: undefined } as const
  expect(decideCertificate({ name: '/a.pem', if_absent: 'drift' }, absent)).toMatchObject({
    drift: [{ property: 'ensure' }],
    plan: { kind: 'refuse' },
  })
  expect(decideCertificate({ name: '/a.pem', if_absent: 'compliant' }, absent)).toMatchObject({
    drift: [],
    ensure: { desired: 'present', observed: 'absent' },
    messages: ['/a.pem does not exist'],
  })
})

test.each([
  ['example.org:443', { host: 'example.org', port: 443 }],
  ['[::1]:8443', { host: '::1', port: 8443 }],
  ['::1:8443', undefined],
  ['example.org', undefined],
  ['example.org:0', undefined],
  ['example.org:65536', undefined],
  ['https://example.org:443', undefined],
  [':443', undefined],
])('the name %s', (name, address) => expect(addressOf(name)).toEqual(address))

test.each([
  ['no address', { name: 'example.org' }, /HOST:PORT/],
  ['a server name for a file', { name: '/a.pem', server_name: 'x' }, /does not apply to a file/],
  ['an overlong server name', { name: 'a:1', server_name: 'x'.repeat(300) }, /too long/],
  ['authorities for nothing', { name: 'a:1', ca: '/ca.pem' }, /chain: valid/],
])('%s is refused', (_name, given, message) => {
  expect(type.rules.flatMap(({ check }) => check(given) ?? []).join()).toMatch(message)
})

test.each([
  ['nothing', ''],
  ['a key alone', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'],
  ['an invalid certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'],
  ['the beginning of one', '0\x82\x01\x00'],
])('a file with %s is unknown', (_name, text) => {
  expect(parseCertificates(Buffer.from(text, 'latin1'), '/a.pem')).toMatchObject({ kind: 'unknown', reason: 'invalid' })
})

test.each([
  ['of nothing', []],
  ['without a length', [0x30]],
  ['longer than what is there', [0x30, 0x03, 0x01]],
  ['of a length without an end', [0x30, 0x80, 0x00, 0x00]],
  ['of an excessive length', [0x30, 0x85, 1, 1, 1, 1, 1]],
  ['of a tag of several bytes', [0x1f, 0x01, 0x00]],
])('a value of DER %s is invalid', (_name, bytes) => {
  expect(derAt(Uint8Array.from(bytes), 0, bytes.length)).toBeUndefined()
})

test('values of DER that do not fill their container are invalid', () => {
  const bytes = Uint8Array.from([0x05, 0x00, 0x05])
  expect(derChildren(bytes, { start: 0, end: 2 })).toEqual([{ tag: 5, start: 2, end: 2 }])
  expect(derChildren(bytes, { start: 0, end: 3 })).toBeUndefined()
})
