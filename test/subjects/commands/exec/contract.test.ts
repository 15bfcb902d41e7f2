import { join } from 'node:path'
import { test } from 'vitest'
import { exec } from '../../../../src/subjects/commands/exec/index.ts'
import { type ContractScene, contractTests } from '../../../../src/testing/index.ts'
import { put } from '../../../support/contract.ts'

const scenes: readonly ContractScene[] = [
  {
    title: 'a command that makes a file',
    state: 'fixable',
    arrange: (directory) => ({ name: 'touch made', cwd: directory, creates: join(directory, 'made') }),
  },
  {
    title: 'a command that was run',
    state: 'compliant',
    arrange(directory) {
      put(directory, { made: '' })
      return { name: 'touch made', cwd: directory, creates: join(directory, 'made') }
    },
  },
  {
    title: 'a command whose guard asks for it',
    state: 'fixable',
    arrange: (directory) => ({ name: 'touch made', cwd: directory, unless: 'test -e made' }),
  },
  {
    title: 'a command whose guard does not',
    state: 'compliant',
    arrange: (directory) => ({ name: 'touch made', cwd: directory, onlyif: 'test -e other' }),
  },
]

for (const { name, run } of contractTests(exec, { scenes })) test(name, run)
