import { join } from 'node:path'
import { test } from 'vitest'
import { scaffold } from '../../../src/subjects/scaffolds/index.ts'
import { type ContractScene, contractTests } from '../../../src/testing/index.ts'
import { put } from '../../support/contract.ts'

const scenes: readonly ContractScene[] = [
  {
    title: 'a directory that is missing',
    state: 'fixable',
    arrange(directory) {
      put(directory, { 'source/a': 'text', 'source/b/c': 'more' })
      return { name: join(directory, 'target'), ensure: 'present', source: 'source' }
    },
  },
  {
    title: 'a directory that is there',
    state: 'compliant',
    arrange(directory) {
      put(directory, { 'source/a': 'text', 'target/a': 'text' })
      return { name: join(directory, 'target'), ensure: 'present', source: 'source' }
    },
  },
  {
    title: 'a file too many',
    state: 'fixable',
    arrange(directory) {
      put(directory, { 'source/a': 'text', 'target/a': 'other', 'target/b': 'foreign' })
      return { name: join(directory, 'target'), ensure: 'present', source: 'source', purge: true }
    },
  },
]

for (const { name, run } of contractTests(scaffold, { scenes })) test(name, run)
