import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { resourceTypes } from '../../src/subjects/index.ts'

// Which tests these are follows from the type; what a type gives are the scenes that they are run on.
test.each(resourceTypes.map(({ type }) => type))('type %s is held to the contract of every type', (type) => {
  expect(existsSync(`test/subjects/${type}/contract.test.ts`)).toBe(true)
})
