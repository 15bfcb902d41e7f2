import { expect, test } from 'vitest'
import { ownNameOf } from '../../src/model/host-name.ts'

test.each([
  ['of a target without a name', undefined, 'web01', undefined],
  ['another one', 'web01', 'vm-1234', 'vm-1234'],
  ['the same', 'web01', 'web01', undefined],
  ['the same behind a kind and a user', 'ssh:admin@web01:2222', 'web01', undefined],
  ['of a target that could not be asked', 'ssh:web01', 'ssh:web01', undefined],
  ['a part of the name alone', 'ssh:web01.example.com', 'web01', 'web01'],
  ['none', 'root:/srv/a', 'localhost', undefined],
])('the host name beside the name of a target: %s', (_case, name, hostname, expected) => {
  expect(ownNameOf({ hostname, ...(name !== undefined && { name }) })).toBe(expected)
})
