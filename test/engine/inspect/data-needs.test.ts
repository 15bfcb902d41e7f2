import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dataNeeds } from '../../../src/engine/inspect/data-needs.ts'
import { loadDocuments } from '../../../src/policy/load.ts'
import { listShipped } from '../../../src/policy/fetch/shipped.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

async function needsOf(file: string, data: readonly string[] = []): Promise<readonly string[]> {
  const loaded = await loadDocuments([file], { environ: {}, data })
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join())
  await loaded.dispose()
  return loaded.value.flatMap(dataNeeds)
}

/** What a policy needs whose data is this, and that has one file with this content. */
async function needsIn(content: string, data = '', control = ''): Promise<readonly string[]> {
  const file = join(temporaryDirectory(), 'p.yaml')
  const about = `{ ensure: present, owner: root, group: root, mode: "0644", content: '${content}', control: {${control}} }`
  writeFileSync(file, `${data}\nccm: { resources: [{ file: [{ /nowhere: ${about} }] }] }\n`)
  return needsOf(file)
}

const LEVELS = `data: { a: { b: 1 } }
hierarchy: { order: ["os:{{ lookup(\\"facts.host.info.os\\") }}"] }
overrides: { "os:linux": { only: { linux: 1 } } }`

test.each([
  ['{{ lookup("data.a.b") }} {{ Data.a.c }} {{ Data.z }}', '', ['a.b', 'a.c', 'z']],
  ['{{ lookup("data.a.b") }} {{ Data.a.b }}', 'data: { a: { b: 1 } }', []],
  ['{{ lookup("data.a.c") }} {{ lookup("data.z") }}', 'data: { a: { b: 1 } }', ['a.c', 'z']],
  ['{{ lookup("data.a", "none") }}', '', []],
  ['{{ lookup("data.a", "none") }} {{ lookup("data.a") }}', '', []],
  ['{{ Data.a ?? "none" }} {{ Data?.b }} {{ get(Data, "c") }}', '', []],
  ['{{ lookup("facts.host.info.os") }} {{ Facts.host }} {{ Environ.HOME }}', '', []],
  ['{{ lookup("data.only.linux") }} {{ lookup("data.only.other") }}', LEVELS, ['only.other']],
  ['{{ lookup("data.#") }} {{ lookup("data." + "a") }}', '', []],
] as const)('%s needs the data keys without a value or a default', async (content, data, needs) => {
  expect(await needsIn(content, data)).toEqual(needs)
})

test('conditions are looked at, and what they ask for may be missing', async () => {
  expect(await needsIn('', '', 'if: lookup("data.on")')).toEqual(['on'])
  expect(await needsIn('{{ Data.on }}', '', `if: '"on" in Data'`)).toEqual([])
})

test('data given at load time is not needed', async () => {
  const file = join(temporaryDirectory(), 'p.yaml')
  const data = join(temporaryDirectory(), 'data.yaml')
  writeFileSync(file, 'ccm: { resources: [{ file: [{ "{{ Data.path }}/{{ Data.name }}": { ensure: absent } }] }] }')
  writeFileSync(data, 'path: /nowhere')
  expect(await needsOf(file)).toEqual(['name', 'path'])
  expect(await needsOf(file, [data])).toEqual(['name'])
})

test('no policy that ships needs data of its operator', async () => {
  const names = await listShipped()
  if ('message' in names) throw new Error(names.message)
  expect(names.length).toBeGreaterThan(10)
  for (const name of names) expect([name, await needsOf(name.replace(/^@?/, '@'))]).toEqual([name, []])
})
