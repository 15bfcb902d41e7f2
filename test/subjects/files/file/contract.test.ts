import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { file } from '../../../../src/subjects/files/file/index.ts'
import { type ContractScene, contractTests } from '../../../../src/testing/index.ts'
import { put, SELF } from '../../../support/contract.ts'

const scenes: readonly ContractScene[] = [
  {
    title: 'a file as it has to be',
    state: 'compliant',
    arrange(directory) {
      put(directory, { a: 'text' })
      return { name: join(directory, 'a'), ensure: 'present', content: 'text', mode: '0644', ...SELF }
    },
  },
  {
    title: 'a file that is missing',
    state: 'fixable',
    arrange: (directory) => ({ name: join(directory, 'a'), ensure: 'present', content: 'x', mode: '0600', ...SELF }),
  },
  {
    title: 'a file with other content and mode',
    state: 'fixable',
    arrange(directory) {
      put(directory, { a: 'text', source: 'other' })
      return { name: join(directory, 'a'), ensure: 'present', source: 'source', mode: '0640', ...SELF }
    },
  },
  {
    title: 'a directory where a file has to be',
    state: 'unfixable',
    arrange(directory) {
      put(directory, { 'a/b': 'kept' })
      return { name: join(directory, 'a'), ensure: 'present', content: 'x', mode: '0600', ...SELF }
    },
  },
  {
    title: 'a link that has to be gone',
    state: 'fixable',
    arrange(directory) {
      put(directory, { kept: 'kept' })
      symlinkSync('kept', join(directory, 'a'))
      return { name: join(directory, 'a'), ensure: 'absent' }
    },
  },
  {
    title: 'a path that is gone',
    state: 'compliant',
    arrange: (directory) => ({ name: join(directory, 'a'), ensure: 'absent' }),
  },
  {
    title: 'a file with an entry in its list, and without capabilities',
    state: 'fixable',
    arrange(directory) {
      put(directory, { a: 'text' })
      const acl = ['user:0:r--']
      return { name: join(directory, 'a'), ensure: 'present', mode: '0640', acl, capabilities: 'none', ...SELF }
    },
  },
  {
    title: 'a file with the lines that it needs',
    state: 'compliant',
    arrange(directory) {
      put(directory, { a: 'text\n' })
      return { name: join(directory, 'a'), ensure: 'present', mode: '0644', content: { includes: ['text'] }, ...SELF }
    },
  },
  {
    title: 'a directory with its parents',
    state: 'fixable',
    arrange: (directory) => ({ name: join(directory, 'a/b'), ensure: 'directory', mode: '0750', ...SELF }),
  },
]

for (const { name, run } of contractTests(file, { scenes })) test(name, run)
