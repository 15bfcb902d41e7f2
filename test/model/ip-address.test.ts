import { BlockList, isIP } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  asIpv4,
  canonicalCidr,
  formatIp,
  isAnyAddress,
  isWithin,
  parseIp,
  parseNetwork,
} from '../../src/model/ip-address.ts'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
/** Many groups of zeros, which is what can be written in several ways. */
const ipv6 = fc
  .tuple(bytes(16), fc.uint8Array({ minLength: 16, maxLength: 16, max: 1 }))
  .map(([value, mask]) => value.map((byte, index) => byte * (mask[index - (index % 2)] ?? 0)))

test('an address of IPv6 is written as URLs write it', () => {
  fc.assert(
    fc.property(ipv6, (value) => {
      const text = formatIp(value)
      const groups = Array.from({ length: 8 }, (_, index) =>
        Buffer.from(value)
          .readUInt16BE(index * 2)
          .toString(16),
      )
      if (asIpv4(value) === undefined) expect(`[${text}]`).toBe(new URL(`http://[${groups.join(':')}]`).hostname)
      expect(parseIp(text)).toEqual(value)
      expect(parseIp(groups.join(':'))).toEqual(value)
    }),
  )
})

// RFC 5952
test.each([
  ['FE80:0:0::1/64', 'fe80::1/64'],
  ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
  ['10.0.0.5/24', '10.0.0.5/24'],
  ['eth0/24', 'eth0/24'],
])('the address %s is written %s', (text, canonical) => {
  expect(canonicalCidr(text)).toBe(canonical)
})

test.each<[string, 4 | 16 | undefined]>([
  ['10.0.0.1', 4],
  ['010.0.0.1', undefined],
  ['1.2.3', undefined],
  ['1.2.3.256', undefined],
  ['::', 16],
  ['::1', 16],
  ['1::', 16],
  ['::ffff:10.0.0.1', 16],
  ['1:2:3:4:5:6:7:8', 16],
  ['1:2:3:4:5:6:7', undefined],
  ['1:2:3:4:5:6:7::', 16],
  ['1:2:3:4:5:6:7:8::', undefined],
  ['::1::', undefined],
  [':1', undefined],
  ['fe80::1%eth0', undefined],
  ['', undefined],
])('"%s" is an address of %s bytes', (text, length) => {
  expect(parseIp(text)?.length).toBe(length)
})

test('addresses are recognized as by net.isIP', () => {
  const part = fc.constantFrom(
    '0',
    '1',
    '::',
    ':',
    'ffff',
    '12345',
    'g',
    '1.2.3.4',
    '256.1.1.1',
    '1.2.3',
    '01.2.3.4',
    '.',
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 9 }), fc.constantFrom(':', '', '.'), (parts, separator) => {
      const text = parts.join(separator)
      const found = parseIp(text)
      expect(found === undefined ? 0 : found.length === 4 ? 4 : 6, text).toBe(isIP(text))
    }),
    { numRuns: 2000 },
  )
})

test('membership in a network is as in net.BlockList', () => {
  const address = fc.oneof(bytes(4), ipv6)
  fc.assert(
    fc.property(address, address, fc.nat(128), fc.boolean(), (one, other, size, isNear) => {
      const prefix = Math.min(size, other.length * 8)
      const near = isNear ? other.map((byte, index) => (index === other.length - 1 ? byte ^ 1 : byte)) : one
      const inner = parseNetwork(formatIp(near))
      const outer = parseNetwork(`${formatIp(other)}/${prefix}`)
      if (inner === undefined || outer === undefined) throw new Error('no network')
      const list = new BlockList()
      list.addSubnet(formatIp(other), prefix, other.length === 4 ? 'ipv4' : 'ipv6')
      const isSameVersion = near.length === other.length
      expect(isWithin(inner, outer)).toBe(
        isSameVersion && list.check(formatIp(near), near.length === 4 ? 'ipv4' : 'ipv6'),
      )
    }),
  )
})

test.each([
  ['::ffff:10.0.0.1', '10.0.0.0/8', true],
  ['10.0.0.1', '::ffff:10.0.0.0/104', true],
  ['10.0.0.0/8', '10.0.0.1', false],
  ['10.0.0.1', '0.0.0.0/0', true],
  ['10.0.0.1', '::/0', false],
])('%s within %s: %s', (inner, outer, expected) => {
  const [one, other] = [parseNetwork(inner), parseNetwork(outer)]
  expect(one !== undefined && other !== undefined && isWithin(one, other)).toBe(expected)
})

test.each(['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0/8', '::/129', '::/-1', 'loopback', ''])(
  '%j is no network',
  (text) => expect(parseNetwork(text)).toBeUndefined(),
)

test.each([
  ['0.0.0.0', true],
  ['::', true],
  ['::ffff:0.0.0.0', true],
  ['::1', false],
])('%s is all addresses: %s', (text, expected) => expect(isAnyAddress(parseIp(text) ?? Buffer.of(1))).toBe(expected))
