import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { openFleet } from '../../../src/fleet/fleet.ts'
import { exportLines } from '../../../src/fleet/for-programs.ts'
import { storeReport, viewFleet, type Viewing } from '../../support/fleet-view.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const schema: { readonly $defs: object } = JSON.parse(
  readFileSync(new URL('../../../schemas/fleet.schema.json', import.meta.url), 'utf8'),
  (_key, value) => (value?.type === 'object' ? { additionalProperties: false, ...value } : value),
)

/** One host of every kind. */
function fleetOfAllKinds(): Viewing & { readonly rosterFile: string } {
  const from = temporaryDirectory()
  const all = { a: 'drifted', b: 'error', c: 'waived', d: 'not-applicable', e: 'compliant' } as const
  storeReport(from, { host: 'web01', controls: all, agoMs: 7_200_000, sha256: 'b'.repeat(64), path: 'web01/a.json' })
  storeReport(from, { host: 'web01', controls: all, path: 'web01/b.json' })
  storeReport(from, { host: 'web02', path: 'web02/a.json', agoMs: 10_000 })
  storeReport(from, { host: 'web03', path: 'web03/a.json', agoMs: 3 * 86_400_000 })
  storeReport(from, { host: 'stranger', controls: { a: 'drifted' } })
  writeFileSync(join(from, 'web02/b.json'), '{')
  const rosterFile = join(temporaryDirectory(), 'hosts.yaml')
  const labelled = '{ name: web01, labels: { role: web } }'
  writeFileSync(rosterFile, `hosts: [${labelled}, web02, web03, db01, { name: old, retired: 2020-01-01 }]\n`)
  return { from, rosterFile }
}

function validator(part: object): (value: unknown) => unknown {
  const ajv = new Ajv2020({ allErrors: true })
  ajv.addFormat('date-time', (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text))
  const validate = ajv.compile(part)
  return (value) => (validate(value) ? null : validate.errors)
}

const PATHS = [
  'fleet',
  'hosts',
  'hosts?presence=retired',
  'host?name=web01',
  'controls',
  'control?policy=site&name=a',
  'silence',
  'audit',
  'trends',
  'trends?host=web01',
  'trends?policy=site',
  'trends?policy=site&control=a',
]

test('every document follows the schema, which describes every field', async () => {
  const { address } = await viewFleet(fleetOfAllKinds())
  const troubleWith = validator(schema)
  for (const path of PATHS.flatMap((each) => [each, `v1/${each}`])) {
    const answer = await fetch(`${address}api/${path}`)
    expect([path, answer.status, troubleWith(await answer.json())]).toEqual([path, 200, null])
  }
})

test('so does every line of an export', async () => {
  const fleet = openFleet({ ...fleetOfAllKinds(), intervalMs: 86_400_000 })
  await fleet.look('everywhere')
  const troubleWith = validator({ $defs: schema.$defs, $ref: '#/$defs/exportLine' })
  const lines = exportLines(fleet.view(Date.now())).trim().split('\n')
  expect(lines.length).toBeGreaterThan(5)
  for (const line of lines) expect(troubleWith(JSON.parse(line))).toBeNull()
})

interface Document {
  readonly counts: Readonly<Record<string, number>> & { readonly presence: Readonly<Record<string, number>> }
  readonly hosts: readonly { readonly name: string }[]
  readonly page: { readonly total: number }
}

test('every count equals the length of its list', async () => {
  const { address } = await viewFleet(fleetOfAllKinds())
  const get = async (path: string): Promise<Document> => JSON.parse(await (await fetch(`${address}api/${path}`)).text())
  const { counts } = await get('fleet')
  expect(counts).toMatchObject({ hosts: 5, drifted: 2, undecided: 3, compliant: 0 })
  const { presence, hosts: total, ...answers } = counts
  expect((await get('hosts')).page.total).toBe(total)
  for (const [answer, count] of Object.entries(answers)) {
    expect([answer, (await get(`hosts?answer=${answer}`)).page.total]).toEqual([answer, count])
  }
  for (const [word, count] of Object.entries(presence)) {
    expect([word, (await get(`hosts?presence=${word}`)).hosts.length]).toEqual([word, count])
  }
  const namesOf = async (query: string): Promise<readonly string[]> =>
    (await get(`hosts?${query}`)).hosts.map(({ name }) => name)
  expect(await namesOf('label=role%3Dweb')).toEqual(['web01'])
  expect(await namesOf('q=ROLE')).toEqual(['web01'])
  expect(await namesOf('severity=high')).toEqual(['stranger', 'web01'])
  expect(await namesOf('control=b')).toEqual(['db01', 'web03', 'web01', 'web02'])
  expect(await namesOf('answer=drifted&answer=compliant')).toEqual(['stranger', 'web01'])
  expect(await namesOf(`version=${'a'.repeat(8)}&q=web0`)).toEqual(['web03', 'web01', 'web02'])
})
