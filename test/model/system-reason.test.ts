import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ERROR_REASONS } from '../../src/model/observation.ts'
import { systemReason } from '../../src/model/system-reason.ts'

// The words of errno(3), with what a person who writes a file would say where those are about something else.
test.each([
  ['EACCES', 'permission denied'],
  ['EPERM', 'operation not permitted'],
  ['ENOENT', 'no such file or directory'],
  ['ENOTDIR', 'a part of the path is not a directory'],
  ['EEXIST', 'a part of the path is not a directory'],
  ['EISDIR', 'it is a directory'],
  ['EROFS', 'the file system is read-only'],
  ['ENXIO', 'no process reads the pipe'],
  ['ENOSPC', 'no space left on the device'],
  ['EDQUOT', 'the disk quota is used up'],
  ['ENAMETOOLONG', 'the name is too long'],
  ['EWHATEVER', 'as it was told'],
  [42, 'as it was told'],
  [undefined, 'as it was told'],
])('%s: %s', (code, words) => {
  expect(systemReason(Object.assign(new Error('as it was told'), { code }))).toBe(words)
})

test('a reason that is not an Error is used unchanged', () => {
  expect(systemReason('gone')).toBe('gone')
})

test('the schema of reports knows every reason of an error, and no other', () => {
  const schema = JSON.parse(readFileSync(new URL('../../schemas/report.schema.json', import.meta.url), 'utf8'))
  expect(schema.$defs.reason.enum.toSorted()).toEqual(ERROR_REASONS.toSorted())
})
