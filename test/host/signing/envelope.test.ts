import { expect, test } from 'vitest'
import { envelopeOf, isSignedBy, sealEnvelope } from '../../../src/host/signing/envelope.ts'
import { makeKey, namedKey } from '../../../src/host/signing/keys.ts'

const SIGNATURE = { keyid: 'k', sig: 'AAAA' }
const ENVELOPE = { payloadType: 't', payload: 'e30=', signatures: [SIGNATURE] }

test('an envelope is as DSSE writes it', () => {
  expect(envelopeOf('t', ENVELOPE)).toEqual(ENVELOPE)
  const two = { ...ENVELOPE, signatures: [SIGNATURE, SIGNATURE] }
  expect(envelopeOf('t', two, 2)).toEqual(two)
})

test.each([
  ['none', []],
  ['two', [SIGNATURE, SIGNATURE]],
  ['a text', 'AAAA'],
  ['an object', { 0: SIGNATURE, length: 1 }],
  ['null', null],
  ['one that is not base64', [{ keyid: 'k', sig: '%' }]],
  ['one without a key', [{ sig: 'AAAA' }]],
  ['one beside what is no signature', [SIGNATURE, 'AAAA']],
])('signatures that are %s are refused', (_what, signatures) => {
  expect(envelopeOf('t', { ...ENVELOPE, signatures })).toEqual({ message: 'the envelope must have one signature' })
})

test.each([[[]], [[SIGNATURE, SIGNATURE, SIGNATURE]], [[SIGNATURE, null]]])(
  'of two signatures at most, %j are refused',
  (signatures) => {
    const message = 'the envelope must have from 1 to 2 signatures'
    expect(envelopeOf('t', { ...ENVELOPE, signatures }, 2)).toEqual({ message })
  },
)

test.each([
  [null, 'is not a DSSE envelope'],
  [[ENVELOPE], 'is not a DSSE envelope'],
  [{ ...ENVELOPE, more: 1 }, 'is not a DSSE envelope'],
  [{ payload: 'e30=', payloadType: 't' }, 'is not a DSSE envelope'],
  [{ payload: 'e30=', payloadType: 't', signature: [SIGNATURE] }, 'is not a DSSE envelope'],
  ['{}', 'is not a DSSE envelope'],
  [{ ...ENVELOPE, payloadType: 'u' }, 'has another type than t'],
  [{ ...ENVELOPE, payload: 'e30' }, 'has a payload that is not base64'],
  [{ ...ENVELOPE, payload: 1 }, 'has a payload that is not base64'],
])('%j is refused', (value, problem) => {
  expect(envelopeOf('t', value)).toEqual({ message: `the envelope ${problem}` })
})

test('during a rotation the signature of either key counts, and of no other', () => {
  const [old, next, other] = [makeKey(), makeKey(), makeKey()].map(namedKey)
  if (old === undefined || next === undefined || other === undefined) throw new Error('three keys were made')
  const signed = sealEnvelope('t', Buffer.from('{}'), next)
  expect(isSignedBy(signed, { ...old, others: [next.key] })).toBe(true)
  expect(isSignedBy(signed, { ...next, others: [old.key] })).toBe(true)
  expect(isSignedBy(signed, { ...old, others: [other.key] })).toBe(false)
  expect(isSignedBy({ ...signed, payloadType: 'u' }, next)).toBe(false)
})
