import { expect, test } from 'vitest'
import { changesOf } from '../../../src/fleet/orders/changes.ts'
import type { Finding } from '../../../src/fleet/orders/finding.ts'
import { unifiedDiff } from '../../../src/model/unified-diff.ts'

const digest = (sizeBytes: number): { readonly sha256: string; readonly sizeBytes: number } => ({
  sha256: 'ab'.repeat(32),
  sizeBytes,
})

const changes = (...drift: Finding['drift']): readonly (readonly string[])[] =>
  changesOf({ id: 'file#/etc/x', path: ['apply#all'], drift }).map(({ resource, property, from, to }) => [
    resource,
    property,
    from,
    to,
  ])

test('values are shown as they are and as they become', () => {
  expect(changes({ property: 'mode', desired: '0644', observed: '0666' })).toEqual([
    ['apply#all > file#/etc/x', 'mode', '0666', '0644'],
  ])
  expect(changes({ property: 'value', path: 'a', desired: { at_most: 3 }, observed: null })).toEqual([
    ['apply#all > file#/etc/x', 'value a', 'nothing', 'at most 3'],
  ])
})

test('contents are shown by the lines that go and come, and by no digest', () => {
  const diff = unifiedDiff('Port 22\nPermitRootLogin yes\n-- x\n', 'Port 22\nPermitRootLogin no\n')
  const [change = []] = changes({ property: 'content', desired: digest(27), observed: digest(33), diff })
  expect(change.slice(2)).toEqual(['PermitRootLogin yes\n-- x', 'PermitRootLogin no'])
  const long = unifiedDiff('', Array.from({ length: 20 }, (_, at) => `line ${at}\n`).join(''))
  const [, , from, to] = changes({ property: 'ensure', desired: 'present', observed: 'absent', diff: long })[0] ?? []
  expect(from).toBe('absent')
  expect(to).toBe('present\nline 0\nline 1\nline 2\nline 3\nline 4\nline 5\nand 14 more lines')
})

test('content that is not world-readable is named with its size, and a secret not at all', () => {
  expect(changes({ property: 'content', desired: digest(1), observed: digest(12) })[0]?.slice(2)).toEqual([
    'contents of 12 bytes, not shown',
    'contents of 1 byte, not shown',
  ])
  const secret = { redacted: true, digest: 'ab'.repeat(32) } as const
  expect(changes({ property: 'content', desired: secret, observed: secret })[0]?.slice(2)).toEqual([
    '(secret, not shown)',
    '(secret, not shown)',
  ])
})
