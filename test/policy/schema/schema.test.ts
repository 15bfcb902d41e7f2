import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { SCHEMA_OPTIONS } from '../../../src/policy/schema/compile.ts'
import { editorSchema } from '../../../src/policy/schema/editor.ts'
import { resourceTypes } from '../../support/resource-types.ts'
import { policyOf, types } from '../support.ts'

const validate = new Ajv(SCHEMA_OPTIONS).compile(editorSchema(types))

test.each(resourceTypes.flatMap(({ type, examples }) => examples.map(({ title, yaml }) => [type, title, yaml])))(
  'the example of %s "%s" is sound',
  (_type, _title, yaml) => {
    const text = `ccm:\n  resources:\n    - ${yaml.replaceAll('\n', '\n      ')}\n`
    expect(policyOf(text).resources).not.toHaveLength(0)
    expect(validate(parseYaml(text))).toBe(true)
  },
)

/** What an editor thinks of one gadget. */
function accepts(properties: Record<string, unknown>): boolean {
  const body = { ensure: 'running', ...properties }
  const listed = validate({ ccm: { resources: [{ gadget: [{ g: body }] }] } })
  const direct = validate({ ccm: { resources: [{ gadget: { name: 'g', ...body } }] } })
  const defaults = validate({ ccm: { resources: [{ gadget: [{ defaults: body }, { g: null }] }] } })
  expect([direct, defaults]).toEqual([listed, listed])
  return listed
}

test.each([
  [true, { ensure: 'stopped' }],
  [true, { ensure: '{{ x }}' }],
  [true, { ensure: null }],
  [false, { ensure: 'gone' }],
  [true, { size: 3 }],
  [true, { size: '${ 3 }' }],
  [false, { size: 10 }],
  [false, { size: '3' }],
  [true, { loud: true }],
  [false, { loud: 'yes' }],
  [true, { timeout: '1h30m' }],
  [false, { timeout: 'soon' }],
  [true, { environment: ['a', 1, '{{ x }}'] }],
  [false, { environment: 'a' }],
  [true, { headers: { a: 'b' } }],
  [false, { headers: { a: [] } }],
  [true, { data: { a: [null] } }],
  [true, { version: '1.0' }],
  [false, { version: '{{ x }}' }],
  [false, { unheard: 1 }],
])('an editor says %s to %j', (sound, properties) => {
  expect(accepts(properties)).toBe(sound)
})
