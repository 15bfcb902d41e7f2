import { expect, test } from 'vitest'
import { pastTense } from '../../src/model/decision.ts'

test.each([
  ['Would have created the file', 'Created the file'],
  ['Would have recursively removed the directory', 'Recursively removed the directory'],
  ['Would have downloaded. Would have extracted', 'Downloaded. Extracted'],
  ['Would have started, would have enabled', 'Started, enabled'],
  ['Would have updated attributes', 'Updated attributes'],
])('"%s" becomes "%s" once it is done', (planned, done) => {
  expect(pastTense(planned)).toBe(done)
})
