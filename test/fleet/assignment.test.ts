import { createPrivateKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { openAssignment } from '../../src/fleet/nats/assignment.ts'
import { preAuthEncoding, sealEnvelope } from '../../src/host/signing/envelope.ts'
import { type Key, makeKeys } from '../../src/host/signing/keys.ts'

const SHA256 = '0123456789abcdef'.repeat(4)
const GOOD = {
  schema: 'driftgate.assignment/v1',
  to: 'ring.all',
  version: 3,
  policies: [{ name: 'site', sha256: SHA256 }],
  interval: '1h',
  reason: 'why',
  author: 'anna@ops1',
  at: '2026-11-23T08:00:00.000Z',
}

function newKey(): Key {
  const { id, privatePem } = makeKeys()
  return { id, key: createPrivateKey(privatePem) }
}

const key = newKey()

/** What comes of a document that the right key has signed. */
function opened(document: unknown, type = 'application/vnd.driftgate.assignment+json') {
  const bytes = typeof document === 'string' ? document : JSON.stringify(document)
  return openAssignment(sealEnvelope(type, Buffer.from(bytes), key), key)
}

test('a signed assignment is read, with and without an interval', () => {
  const { interval: _, ...plain } = GOOD
  expect(opened(GOOD)).toEqual({ assignment: GOOD })
  expect(opened(plain)).toEqual({ assignment: plain })
})

test.each<readonly [name: string, document: unknown]>([
  ['no JSON', '{'],
  ['no map', []],
  ['null', null],
  ['another schema', { ...GOOD, schema: 'driftgate.assignment/v2' }],
  ['a key that is not known', { ...GOOD, also: 1 }],
  ['without an author', { ...GOOD, author: undefined }],
  ['an addressee that would be another subject', { ...GOOD, to: 'ring.*' }],
  ['a host with a dot', { ...GOOD, to: 'host.a.b' }],
  ['no kind of addressee', { ...GOOD, to: 'all' }],
  ['an addressee behind a line break', { ...GOOD, to: 'ring.all\n' }],
  ['version 0', { ...GOOD, version: 0 }],
  ['a version that is no integer', { ...GOOD, version: 1.5 }],
  ['a version above those that are exact', { ...GOOD, version: 2 ** 53 }],
  ['a version in quotes', { ...GOOD, version: '3' }],
  ['no policy', { ...GOOD, policies: [] }],
  ['policies that are not a list', { ...GOOD, policies: {} }],
  ['a name that is a path', { ...GOOD, policies: [{ name: '../x', sha256: SHA256 }] }],
  ['a name that begins with a dot', { ...GOOD, policies: [{ name: '.x', sha256: SHA256 }] }],
  ['a digest that is too short', { ...GOOD, policies: [{ name: 'x', sha256: SHA256.slice(1) }] }],
  ['a digest in capitals', { ...GOOD, policies: [{ name: 'x', sha256: SHA256.toUpperCase() }] }],
  ['two policies of one name', { ...GOOD, policies: [...GOOD.policies, ...GOOD.policies] }],
  ['a good policy and an invalid one', { ...GOOD, policies: [...GOOD.policies, null] }],
  [
    'too many policies',
    { ...GOOD, policies: Array.from({ length: 257 }, (_, at) => ({ name: `p${at}`, sha256: SHA256 })) },
  ],
  ['an interval of nothing', { ...GOOD, interval: '0' }],
  ['an interval that is no span', { ...GOOD, interval: 'often' }],
  ['an invalid time', { ...GOOD, at: 'now' }],
  ['a reason without an end', { ...GOOD, reason: 'x'.repeat(2001) }],
])('%s is no assignment, even with a valid signature', (_name, document) => {
  expect(opened(document)).toEqual({ message: 'the signed content is not driftgate.assignment/v1' })
})

test('a signature counts for its type, its bytes and its key alone', () => {
  expect(opened(GOOD, 'application/vnd.in-toto+json')).toHaveProperty('message')
  const envelope = sealEnvelope('application/vnd.driftgate.assignment+json', Buffer.from(JSON.stringify(GOOD)), key)
  const refusal = { message: 'it is not signed with the policy key' }
  expect(openAssignment(envelope, newKey())).toEqual(refusal)
  // What was signed as something else, put into an envelope of an assignment.
  const { signatures } = sealEnvelope('application/vnd.in-toto+json', Buffer.from(JSON.stringify(GOOD)), key)
  expect(openAssignment({ ...envelope, signatures }, key)).toEqual(refusal)
  const [{ sig }] = envelope.signatures
  expect(openAssignment({ ...envelope, signatures: [{ keyid: 'another', sig }] }, key)).toHaveProperty('assignment')
  expect(preAuthEncoding('a b', Buffer.from('xyz')).toString()).toBe('DSSEv1 3 a b 3 xyz')
})
