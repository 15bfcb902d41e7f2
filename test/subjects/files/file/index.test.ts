import { expect, test } from 'vitest'
import { file } from '../../../../src/subjects/files/file/index.ts'

const context = { workingDirectory: '/', signal: new AbortController().signal, showDiff: true }

test.each([
  ['present', ['/a/b/c']],
  ['directory', ['/a/b/c', '/a/b', '/a']],
  ['absent', []],
])('paths that a dependent resource may rely on: %s', (ensure, expected) => {
  expect(
    file.prepare({ name: '/a/b/c', ensure, if_absent: 'create', force: false }, 'posix', context).provides,
  ).toEqual(expected)
})

test.each(['drift', 'compliant'])('a dependent resource relies on no path that is never created: %s', (ifAbsent) => {
  const values = { name: '/a/b/c', ensure: 'directory', if_absent: ifAbsent, force: false }
  expect(file.prepare(values, 'posix', context).provides).toEqual([])
})

test('the drifts are named in the order of the state checks', () => {
  expect(file.drifts.join(' ')).toBe('ensure content sha256 owner group mode acl capabilities access immutable')
})
