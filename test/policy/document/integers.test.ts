import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../support/temporary.ts'
import { audit, expanded, problemsOf } from '../audit.ts'

// 2^53 + 1 is the first whole number that a double cannot hold; the others are the ends of int64.
const LARGE = ['9007199254740993', '-9007199254740993', '9223372036854775807', '-9223372036854775808']

test.each(LARGE)('%s is itself wherever data comes from', async (number) => {
  const directory = temporaryDirectory()
  const [yaml, json] = [join(directory, 'd.yaml'), join(directory, 'd.json')]
  writeFileSync(yaml, `file: ${number}\n`)
  writeFileSync(json, `{"json": [${number}]}`)
  const facts = join(directory, 'facts.yaml')
  writeFileSync(facts, `fact: ${number}\n`)
  const template =
    "{{ Data.own }} {{ Data.file }} {{ Data.json[0] }} {{ Data.set }} {{ Facts.fact }} {{ lookup('data.own') }} {{ toJSON(Data.json) }}"
  const given = { policy: `data: {own: ${number}}`, data: [yaml, json], facts: [facts], set: [`set=${number}`] }
  const json5 = `[\n  ${number}\n]`
  expect(await expanded(directory, template, given)).toBe([...Array(6).fill(number), json5].join(' '))
})

test('arithmetic with a large number is exact', async () => {
  const policy = 'data: {n: 9007199254740993}'
  expect(await expanded(temporaryDirectory(), '{{ Data.n + 1 }} {{ Data.n == 9007199254740992 }}', { policy })).toBe(
    '9007199254740994 false',
  )
})

test('a JSON policy keeps its numbers, and a text its digits', async () => {
  const directory = temporaryDirectory()
  const resource = { name: '/nowhere/{{ Data.n }}', ensure: 'absent', require: [] }
  const text = JSON.stringify({ data: { n: 0 }, ccm: { resources: [{ file: resource }] } })
  const { results } = await audit(directory, text.replace('"n":0', '"n":9007199254740993'))
  expect(Object.keys(results)).toEqual(['file#/nowhere/9007199254740993'])
  const digits =
    'ccm: {resources: [{file: {name: /nowhere/x, ensure: present, owner: 9, group: 9, mode: 644, content: 99999999999999999999}}]}'
  const { policy } = await audit(directory, digits)
  expect(policy.resources[0]?.properties['content']).toBe('99999999999999999999')
})

test('a number beyond 64 bits is an error at its place', async () => {
  const directory = temporaryDirectory()
  const said = 'the number 9223372036854775808 does not fit into 64 bits, write it in quotes to keep it as text'
  const resources = 'ccm: {resources: [{file: {name: /nowhere, ensure: absent}}]}'
  const data = `data:\n  a: 1\n  list: [9223372036854775808]\n${resources}`
  expect(await problemsOf(directory, data)).toEqual([`3:10 ${said}`])
  const own =
    'ccm: {resources: [scaffold: {name: /nowhere, ensure: present, source: s, engine: go, data: {n: [9223372036854775808]}}]}'
  expect(await problemsOf(directory, own)).toEqual([`1:92 ${said}`])
  expect(await problemsOf(directory, resources, { set: ['n=9223372036854775808'] })).toEqual([`--set n: ${said}`])
  const file = join(directory, 'd.yaml')
  writeFileSync(file, 'n: 9223372036854775808\n')
  expect(await problemsOf(directory, resources, { data: [file] })).toEqual([`1:4 --data ${file}: ${said}`])
  expect(await problemsOf(directory, resources, { facts: [file] })).toEqual([`--facts ${file}: ${said}`])
})
