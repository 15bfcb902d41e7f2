import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { wishOf } from '../../../src/fleet/rollout/wish.ts'
import { needsNats } from '../../support/nats-server.ts'
import { startRolloutFleet } from './support.ts'

const schema: object = JSON.parse(
  readFileSync(new URL('../../../schemas/fleet.schema.json', import.meta.url), 'utf8'),
  (_key, value) => (value?.type === 'object' ? { additionalProperties: false, ...value } : value),
)

interface Document {
  readonly rollout?: { readonly phase: string }
}

function troubleWith(value: unknown): unknown {
  const ajv = new Ajv2020({ allErrors: true })
  ajv.addFormat('date-time', (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text))
  const validate = ajv.compile(schema)
  return validate(value) ? null : validate.errors
}

test.skipIf(needsNats)('the view shows a rollout, and gives each ring its turn', async () => {
  const fleet = await startRolloutFleet({ web02: 'canary' })
  await fleet.begin(await fleet.publish('good'))
  await wishOf(fleet.line, 'finish', { by: 'operator', reason: '' })
  for (const name of ['web01', 'web02']) await fleet.turn(name)
  await fleet.begin(await fleet.publish('broken'), { reason: '<b>CHG-1</b>' })

  const address = await fleet.serve()
  const page = async (): Promise<string> => (await fetch(`${address}rollout`)).text()
  const document = async (): Promise<Document> => JSON.parse(await (await fetch(`${address}api/rollout`)).text())
  await expect.poll(page, { timeout: 90_000 }).toContain('1 host awaited: <a href="/host?name=web02">web02</a>')
  expect(troubleWith(await document())).toBeNull()
  expect(await page()).toContain('&lt;b&gt;CHG-1&lt;/b&gt;')
  expect(await page()).toContain('<a href="/rollout" aria-current="page">')

  await fleet.turn('web02')
  await expect.poll(page, { timeout: 90_000 }).toContain('stopped: ring canary: 1 of 1 host had new unknown results')
  const stopped = await document()
  expect(troubleWith(stopped)).toBeNull()
  expect(stopped.rollout).toMatchObject({ phase: 'stopped', rings: [{ error: ['web02'] }, { name: 'rest', hosts: 1 }] })
  expect((await fetch(`${address}rollout?x=1`)).status).toBe(400)
})
