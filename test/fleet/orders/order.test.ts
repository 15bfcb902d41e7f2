import { createPublicKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { openAnswer, signAnswer } from '../../../src/fleet/orders/answer.ts'
import { approvedBy, approversIn, approversText, lacksApproval } from '../../../src/fleet/orders/approvers.ts'
import { type Order, openOrder, readOrder, signOrder } from '../../../src/fleet/orders/order.ts'
import { type Envelope, signedToo } from '../../../src/host/signing/envelope.ts'
import { type Key, makeKey, namedKey } from '../../../src/host/signing/keys.ts'

function makeSigner(): { readonly key: Key; readonly pem: string } {
  const key = makeKey()
  return { key: namedKey(key), pem: createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString() }
}

const [operator, anna, ben, stranger] = [makeSigner(), makeSigner(), makeSigner(), makeSigner()]
const NOW = Date.UTC(2026, 10, 23)
const at = (hours: number): string => new Date(NOW + hours * 3_600_000).toISOString()

const order: Omit<Order, 'schema'> = {
  id: '0b6f2c1e-9f7a-4c1e-8a53-2f6a1f0f9d11',
  policy: { name: 'site', sha256: 'a'.repeat(64) },
  fixes: [
    {
      hosts: ['web01', 'web02'],
      findings: [{ id: 'file#/etc/motd', drift: [{ property: 'mode', desired: '0644', observed: '0600' }] }],
      follows: [{ id: 'service#motd', actions: ['Would restart'] }],
    },
  ],
  notBefore: at(0),
  expires: at(8),
  reason: 'CHG-1',
  author: 'anna',
  at: at(0),
}
const [fix] = order.fixes

test('an order is what the operator has signed', () => {
  const envelope = signOrder(order, operator.key)
  expect(openOrder(JSON.parse(JSON.stringify(envelope)), operator.key)).toMatchObject({ order })
  expect(openOrder(envelope, stranger.key)).toEqual({ message: 'it is not signed with the policy key' })
})

test.each<[string, Partial<Record<keyof Order, unknown>>]>([
  ['is for more than a day', { expires: at(24.1) }],
  ['ends before it begins', { expires: at(-1) }],
  ['has no UUID', { id: '../../etc' }],
  ['has no host', { fixes: [{ ...fix, hosts: [] }] }],
  ['names an invalid host', { fixes: [{ ...fix, hosts: ['*'] }] }],
  ['has one host twice', { fixes: [fix, { ...fix, hosts: ['web02'] }] }],
  [
    'has an invalid value',
    { fixes: [{ ...fix, findings: [{ id: 'a', drift: [{ property: 'x', desired: ['y'], observed: {} }] }] }] },
  ],
  ['does not say what follows', { fixes: [{ ...fix, follows: undefined }] }],
  ['has something following that does nothing known', { fixes: [{ ...fix, follows: [{ id: 'service#motd' }] }] }],
  ['repairs nothing', { fixes: [{ ...fix, findings: [] }] }],
  ['has a difference without a value', { fixes: [{ ...fix, findings: [{ id: 'a', drift: [{ property: 'mode' }] }] }] }],
  ['has a policy without a digest', { policy: { name: 'site', sha256: 'x' } }],
  ['has a policy whose name is a path', { policy: { name: '../site', sha256: 'a'.repeat(64) } }],
  ['has no time', { notBefore: 'soon' }],
  ['is not of this format', { schema: 'driftgate.order/v2' }],
])('an order that %s is rejected', (_what, change) => {
  const changed = { ...order, ...change } as typeof order // Invalid on purpose.
  expect(readOrder(signOrder(changed, operator.key))).toEqual({
    message: 'the signed content is not driftgate.order/v1',
  })
})

test('an order that is too large is not read', () => {
  const findings = Array.from({ length: 4000 }, (_, index) => ({ ...fix.findings[0], id: `file#/etc/${index}` }))
  const large = { ...order, fixes: [{ ...fix, findings }] } as typeof order
  expect(readOrder(signOrder(large, operator.key))).toEqual({ message: 'it has more than 262144 bytes' })
})

const trust = approversIn(
  'approvers.json',
  Buffer.from(
    approversText(2, [
      { name: 'anna', key: anna.pem },
      { name: 'ben', key: ben.pem },
      { name: 'operator', key: operator.pem },
    ]),
  ),
)
const signedBy = (...keys: readonly { readonly key: Key }[]): Envelope =>
  keys.reduce((envelope, { key }) => signedToo(envelope, key), signOrder(order, operator.key))

test.each([
  [[], [], 'not approved, but it needs 2 of anna, ben, operator'],
  [[anna], ['anna'], 'approved only by anna, but it needs 2 of anna, ben, operator'],
  [[anna, anna], ['anna'], 'approved only by anna, but it needs 2 of anna, ben, operator'],
  // The author has signed as one, however often.
  [[anna, operator], ['anna'], 'approved only by anna, but it needs 2 of anna, ben, operator'],
  [[stranger, anna], ['anna'], 'approved only by anna, but it needs 2 of anna, ben, operator'],
  [[ben, anna], ['anna', 'ben'], undefined],
])('approvals are counted by their keys (%#)', (keys, names, lack) => {
  expect(approvedBy(signedBy(...keys), trust, operator.key)).toEqual(names)
  expect(lacksApproval(signedBy(...keys), trust, operator.key)).toBe(lack)
})

test('a signature of another document approves nothing, even of a trusted key', () => {
  const other = signedToo(signOrder({ ...order, reason: 'CHG-2' }, operator.key), anna.key)
  const [own] = signOrder(order, operator.key).signatures
  const [, taken] = other.signatures
  const forged = { ...signOrder(order, operator.key), signatures: [own, taken ?? own] } as const
  expect(approvedBy(forged, trust, operator.key)).toEqual([])
})

test.each([
  ['{', 'must contain "approvers"'],
  ['{"needed": 1}', 'must contain "approvers"'],
  ['{"needed": 1, "approvers": [{"name": "anna"}]}', 'must name each approver with "name" and "key"'],
  [
    '{"needed": 1, "approvers": [{"name": "anna", "key": "x"}]}',
    'the key of anna in approvers.json does not contain an Ed25519 key',
  ],
  [approversText(0, [{ name: 'anna', key: anna.pem }]), 'must set "needed" to the number of its 1 approvers'],
  [approversText(2, [{ name: 'anna', key: anna.pem }]), 'must set "needed" to the number of its 1 approvers'],
  [
    approversText(1, [
      { name: 'a', key: anna.pem },
      { name: 'b', key: anna.pem },
    ]),
    'has a duplicate key',
  ],
])('approvers that cannot be counted are refused (%#)', (text, message) => {
  expect(() => approversIn('approvers.json', Buffer.from(text))).toThrow(message)
})

test('an answer is what its host has signed', () => {
  const about = { order: order.id, host: 'web01', state: 'done', text: 'x'.repeat(3000), at: at(1) } as const
  const envelope = signAnswer(about, anna.key)
  expect(openAnswer(envelope, anna.key)).toMatchObject({ answer: { host: 'web01', text: 'x'.repeat(2000) } })
  expect(openAnswer(envelope, ben.key)).toEqual({ message: 'it is not signed by the key of its host' })
  const nonsense = signAnswer({ ...about, order: 'x' }, anna.key)
  expect(openAnswer(nonsense, anna.key)).toEqual({ message: 'the signed content is not driftgate.order-answer/v1' })
})
