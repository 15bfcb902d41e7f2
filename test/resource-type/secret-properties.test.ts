import { expect, test } from 'vitest'
import { isSecretProperty, secretNames } from '../../src/resource-type/secret-properties.ts'
import { file } from '../../src/subjects/files/file/index.ts'

test('of a sensitive resource everything is a secret but its name and the words that its type lists', () => {
  const hidden = secretNames(file, 'sensitive')
  expect(hidden).toEqual(expect.arrayContaining(['content', 'source', 'owner', 'group', 'mode']))
  // Hidden, the default `create` would make "Would have created the file" unreadable.
  for (const name of ['name', 'ensure', 'if_absent']) expect(isSecretProperty(name, file, 'sensitive')).toBe(false)
  expect(isSecretProperty('content', file, 'plain')).toBe(false)
})
