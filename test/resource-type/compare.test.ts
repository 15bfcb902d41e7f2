import { expect, test } from 'vitest'
import { compare, DEBIAN_VERSIONS, defineProperties } from '../../src/index.ts'

const properties = defineProperties({
  name: { kind: 'text', required: true, summary: 'The name.' },
  shell: { kind: 'text', accepts: 'text', summary: 'A text.' },
  mode: { kind: 'text', accepts: 'mode', summary: 'Bits.' },
  limit: { kind: 'text', accepts: 'size', summary: 'Bytes.' },
  age: { kind: 'integer', accepts: 'number', summary: 'Days.' },
  members: { kind: 'list', items: { kind: 'text', summary: 'One.' }, accepts: 'set', summary: 'Names.' },
  order: { kind: 'list', items: { kind: 'text', summary: 'One.' }, summary: 'Names in their order.' },
  locked: { kind: 'boolean', summary: 'A flag.' },
  release: { kind: 'text', accepts: 'version', summary: 'A version.' },
  range: { kind: 'text', accepts: 'fields', summary: 'Fields.' },
})

/** The name of a property, what is wanted and seen, whether it differs, and what a fix leaves or writes. */
type Case = readonly [
  'shell' | 'mode' | 'limit' | 'age' | 'members' | 'order' | 'locked' | 'range',
  unknown,
  unknown,
  boolean,
  unknown,
]

test.for<Case>([
  ['shell', undefined, '/bin/sh', false, undefined],
  ['shell', '/bin/sh', '/bin/sh', false, '/bin/sh'],
  ['shell', '/bin/sh', undefined, true, '/bin/sh'],
  ['shell', { one_of: ['/bin/bash', '/bin/sh'] }, '/bin/sh', false, '/bin/sh'],
  ['shell', { one_of: ['/bin/bash', '/bin/sh'] }, '/bin/zsh', true, '/bin/bash'],
  ['shell', { matches: '/bin/.*' }, '/bin/zsh', false, '/bin/zsh'],
  ['shell', { matches: '/bin/.*' }, '/opt/zsh', true, undefined],
  ['shell', { matches: '/bin/.*', fix: '/bin/sh' }, '/opt/zsh', true, '/bin/sh'],
  ['mode', '0644', '644', false, '644'],
  ['mode', { at_most: '0640' }, '0600', false, '0600'],
  ['mode', { at_most: '0640' }, '0644', true, '0640'],
  ['mode', { at_most: '0640' }, '0604', true, '0600'],
  ['mode', { at_least: '0700', at_most: '0750' }, '0607', true, '0700'],
  ['limit', '1KiB', '1024', false, '1024'],
  ['limit', { at_most: '1MB' }, '2 MB', true, '1MB'],
  ['limit', { at_least: '1MiB' }, '1MB', true, '1MiB'],
  ['age', { at_most: 90 }, 30, false, 30],
  ['age', { at_most: 90 }, 365, true, 90],
  ['age', { at_most: 90 }, undefined, true, 90],
  ['members', ['b', 'a'], ['a', 'b'], false, ['a', 'b']],
  ['members', { includes: ['c'], excludes: ['a'] }, ['a', 'b'], true, ['b', 'c']],
  ['order', ['b', 'a'], ['a', 'b'], true, ['b', 'a']],
  ['order', ['a', 'b'], ['a', 'b'], false, ['a', 'b']],
  ['range', '1 2', '1\t2', false, '1\t2'],
  ['range', { matches: '1.*' }, '1 2', false, '1 2'],
  ['range', { at_most: '5' }, '7', true, '5'],
  ['locked', false, true, true, false],
  ['locked', false, false, false, false],
])('%s: wanted %j, seen %j', ([name, wanted, seen, differs, fixed]) => {
  const compared = compare(properties, { [name]: wanted }, { [name]: seen }, { names: [name] })
  expect(compared.drift.map(({ property }) => property)).toEqual(differs ? [name] : [])
  expect(compared.fixed[name]).toEqual(fixed)
  expect(compared.open).toEqual(differs && fixed === undefined ? [name] : [])
})

test('a difference shows the desired and the observed value', () => {
  const desired = { name: 'x', members: ['a', 'b'], age: { at_most: 90 }, locked: true }
  const { drift } = compare(properties, desired, { members: ['c'], age: 365 }, { names: ['locked', 'members', 'age'] })
  expect(drift).toEqual([
    { property: 'locked', desired: true, original: null },
    { property: 'members', desired: 'a, b', original: 'c' },
    { property: 'age', desired: { at_most: 90 }, original: 365 },
  ])
})

test('an order that depends on the meaning of the values must be given', () => {
  const wanted = { release: { at_least: '1:1.0-1' } }
  expect(() => compare(properties, wanted, { release: '2.0' }, { names: ['release'] })).toThrow(
    'compare: "release" accepts "version", whose order is missing',
  )
  const how = { names: ['release'], orders: { release: DEBIAN_VERSIONS } } as const
  const { fixed } = compare(properties, wanted, { release: '2.0' }, how)
  const release: string | undefined = fixed.release
  expect(release).toBe('1:1.0-1')
})
