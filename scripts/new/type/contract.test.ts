import { join } from 'node:path'
import { test } from 'vitest'
import { __ident__ } from '../../../src/subjects/__type__/index.ts'
import { type ContractScene, contractTests } from '../../../src/testing/index.ts'
import { put } from '../../support/contract.ts'

// Real machines in the states that count. Every exported value has to be given by one of them.
const scenes: readonly ContractScene[] = [
  {
    title: 'the value that is wanted',
    state: 'compliant',
    arrange(directory) {
      put(directory, { example: '1\n' })
      return { name: join(directory, 'example'), value: '1' }
    },
  },
  {
    title: 'another value',
    state: 'fixable',
    arrange(directory) {
      put(directory, { example: '2\n' })
      return { name: join(directory, 'example'), value: '1' }
    },
  },
  {
    title: 'a value that is not accepted, and nothing says which one is to be written',
    state: 'unfixable',
    arrange(directory) {
      put(directory, { example: '1\n' })
      return { name: join(directory, 'example'), value: { not: '1' } }
    },
  },
  {
    title: 'nothing there',
    state: 'unfixable',
    arrange: (directory) => ({ name: join(directory, 'example'), value: '1' }),
  },
]

for (const { name, run } of contractTests(__ident__, { scenes })) test(name, run)
