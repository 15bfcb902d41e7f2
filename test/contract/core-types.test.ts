import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { ResourceType } from '../../src/resource-type/define.ts'
import { settingType } from '../../src/subjects/settings/index.ts'
import { resourceTypes } from '../support/resource-types.ts'

const ROOT = new URL('../../', import.meta.url)
const tested = await Promise.all(
  readdirSync(new URL('test/subjects', ROOT), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('/contract.test.ts'))
    .map((file) => import(new URL(`src/subjects/${file.replace('contract.test.ts', 'index.ts')}`, ROOT).href)),
)

// Which tests these are follows from the type; what a type gives are the scenes that they are run on.
test.each(resourceTypes)('type $type is held to the contract of every type', (type: ResourceType) => {
  const exported = tested.flatMap((module: object) => Object.values(module))
  expect(exported).toContain(type.type === 'setting' ? settingType : type)
})
