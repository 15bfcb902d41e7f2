import { expect, test } from 'vitest'
import { parseAllowed, parsePortName, protocolsOf } from '../../../src/subjects/sockets/name.ts'

test.each([
  ['*', ['tcp', 'udp', 'udplite', 'sctp']],
  ['tcp:*', ['tcp']],
  ['22', ['tcp']],
  ['sctp:3868', ['sctp']],
  ['udplite6:5000', ['udplite']],
  ['raw:*', ['raw']],
  ['raw:0', ['raw']],
  ['raw4:255', ['raw']],
])('the protocols of %s', (name, expected) => {
  const parsed = parsePortName(name)
  expect(parsed === undefined ? undefined : protocolsOf(parsed)).toEqual(expected)
})

test.each(['raw:256', 'tcp:0', 'sctp:65536', 'dccp:5', 'raw:', 'tcp5:22'])('%s is no port', (name) => {
  expect(parsePortName(name)).toBeUndefined()
})

test.each([
  ['raw:1-58', { protocol: 'raw', first: 1, last: 58 }],
  ['sctp:3868', { protocol: 'sctp', first: 3868, last: 3868 }],
  ['raw:58-1', undefined],
  ['raw:1-256', undefined],
])('the ports that %s allows', (text, expected) => {
  expect(parseAllowed(text)).toEqual(expected)
})
