import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { defineProperties, type ResourceType } from '../../../src/resource-type/define.ts'
import { editorSchema } from '../../../src/policy/schema/editor.ts'
import { resourceTypes } from '../../support/resource-types.ts'
import { gadget, types } from '../support.ts'

/** A validator that complains about a schema that is no draft 7, too. */
function validatorOf(all: readonly ResourceType[]): (document: unknown) => boolean {
  const ajv = new Ajv({ allowUnionTypes: true, strictTypes: false, strictRequired: false, validateSchema: true })
  return ajv.compile(editorSchema(all))
}

const validate = validatorOf(types)

function accepts(resources: string): boolean {
  return validate(parseYaml(`ccm:\n  resources:\n    - ${resources.trim().replaceAll('\n', '\n      ')}\n`))
}

test.each(resourceTypes.flatMap(({ type, examples }) => examples.map(({ title, yaml }) => [type, title, yaml])))(
  'the example of %s "%s" is complete',
  (_type, _title, yaml) => {
    expect(accepts(yaml)).toBe(true)
  },
)

test('the examples of a type are examples of its value', () => {
  const { definitions } = editorSchema(resourceTypes)
  expect(definitions).toMatchObject({
    apply: { examples: [[{ 'ssh/manifest.yaml': null }], expect.anything(), expect.anything()] },
  })
})

test('an example that does not fit its type is left out', () => {
  const examples = ['gadget: [', 'widget: {}', 'gadget: {name: g}'].map((yaml) => ({ title: 'T', yaml }))
  expect(editorSchema([{ ...gadget, examples }])).toMatchObject({
    definitions: { gadget: { examples: [{ name: 'g' }] } },
  })
})

test.each([
  ['a list without what is required', false, 'file:\n  - /a: {owner: root}'],
  ['a list with it', true, 'file:\n  - /a: {ensure: absent}'],
  ['a body of nothing', false, 'file:\n  - /a:'],
  ['a body of nothing where nothing is required', true, 'service:\n  - ssh:'],
  ['a list that takes it from its defaults', true, 'file:\n  - defaults: {ensure: absent}\n  - /a:'],
  ['a map without what is required', false, 'file: {name: /a}'],
  ['a map with it', true, 'file: {name: /a, ensure: absent}'],
  ['an alias in place of the name', true, 'file: {name: /a, ensure: present, contents: x}'],
  ['a provider of the type', true, 'exec:\n  - a: {provider: shell}'],
  ['a provider of another type', false, 'exec:\n  - a: {provider: systemd}'],
  ['a provider in defaults', false, 'exec:\n  - defaults: {provider: systemd}\n  - a:'],
  ['a provider from a template', true, 'exec:\n  - a: {provider: "{{ lookup(\'data.p\') }}"}'],
  ['no provider', true, 'exec:\n  - a: {provider: null}'],
  ['a duration of nothing without its quotes', true, 'exec:\n  - a: {timeout: 0}'],
  ['a duration without a unit', false, 'exec:\n  - a: {timeout: 5}'],
])('%s: %s', (_title, sound, yaml) => {
  expect(accepts(yaml)).toBe(sound)
})

test('a required property may have its other name', () => {
  const properties = defineProperties({
    name: { kind: 'text', required: true, summary: 'N.' },
    content: { kind: 'text', required: true, aliases: ['contents'], summary: 'C.' },
  })
  const sound = validatorOf([{ ...gadget, properties }])
  const policy = (body: Record<string, unknown>): unknown => ({ ccm: { resources: [{ gadget: [{ g: body }] }] } })
  expect([policy({ content: 'a' }), policy({ contents: 'a' }), policy({ alias: 'a' })].map(sound)).toEqual([
    true,
    true,
    false,
  ])
})

test('properties that exclude each other are not both set', () => {
  const properties = defineProperties({
    name: { kind: 'text', summary: 'N.' },
    user: { kind: 'text', aliases: ['owner'], summary: 'U.' },
    uid: { kind: 'integer', summary: 'I.' },
    gid: { kind: 'integer', summary: 'G.' },
  })
  const exclusive = { ...gadget, properties, exclusive: [['user', 'uid', 'gid']] }
  const sound = validatorOf([exclusive])
  const bodies = [
    { uid: 1, gid: 1 },
    { owner: 'a', uid: 1 },
    { user: 'a', gid: 1 },
    { user: 'a', uid: null },
    { gid: 1 },
  ]
  expect(bodies.map((body) => sound({ ccm: { resources: [{ gadget: [{ g: body }] }] } }))).toEqual([
    false,
    false,
    false,
    true,
    true,
  ])
})

test('a word that YAML takes for a number or a boolean needs no quotes', () => {
  const properties = defineProperties({
    name: { kind: 'text', summary: 'N.' },
    level: { kind: 'text', oneOf: ['2', '010', 'true', 'NaN'], summary: 'L.' },
  })
  const sound = validatorOf([{ ...gadget, properties }])
  const levels = ['2', 2, 10, true, 'true', 'NaN', null, false]
  expect(levels.map((level) => sound({ ccm: { resources: [{ gadget: { name: 'g', level } }] } }))).toEqual([
    true,
    true,
    false,
    true,
    true,
    true,
    true,
    false,
  ])
})
