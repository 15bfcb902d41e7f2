import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { resourceTypes } from '../../src/resources/index.ts'

// Which tests these are follows from the type; what a type gives are the scenes that they are run on.
test.each(resourceTypes.map(({ type }) => type))('type %s is held to the contract of every type', (type) => {
  expect(existsSync(`test/resources/${type}/contract.test.ts`)).toBe(true)
})
