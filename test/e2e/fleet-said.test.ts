import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { readOutbox, writeOutbox } from '../../src/fleet/nats/outbox.ts'
import { startAgentFleet, wanting } from '../support/agent-fleet.ts'
import { driftgate } from '../support/command-line.ts'
import { needsNats } from '../support/nats-server.ts'
import { startServing } from '../support/serving.ts'

const schema: object = JSON.parse(
  readFileSync(new URL('../../schemas/fleet.schema.json', import.meta.url), 'utf8'),
  (_key, value) => (value?.type === 'object' ? { additionalProperties: false, ...value } : value),
)

function troubleWith(value: unknown): unknown {
  const ajv = new Ajv2020({ allErrors: true })
  ajv.addFormat('date-time', (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text))
  const validate = ajv.compile(schema)
  return validate(value) ? null : validate.errors
}

test.skipIf(needsNats)('the self-description of an agent is shown, and decides nothing', async () => {
  const fleet = await startAgentFleet({ interval: '2h' })
  const given = ['--context', 'fleet/viewer/context.json', '--roster', 'fleet/operator/roster.yaml']
  const json = async (word: string) => {
    const { stdout } = await driftgate(['fleet', word, ...given, '--format', 'json'], { cwd: fleet.cwd })
    const document: { readonly hosts: readonly object[] } = JSON.parse(stdout)
    expect(troubleWith(document)).toBeNull()
    return document
  }
  await fleet.assign(7, { site: wanting(fleet, 'site', 'absent') })
  await fleet.once()
  expect((await json('hosts')).hosts[0]).not.toHaveProperty('sender')

  const state = fleet.path('agent')
  writeOutbox(state, { ...readOutbox(state), lost: 2 })
  await fleet.once()
  const [host] = (await json('hosts')).hosts
  expect(host).toMatchObject({
    answer: 'compliant',
    presence: 'reporting',
    sender: {
      version: expect.stringMatching(/^\d/),
      assignment: { to: 'ring.all', version: 7, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      nextDue: expect.stringMatching(/Z$/),
      saidAt: expect.stringMatching(/Z$/),
      spool: 0,
      lost: 2,
    },
  })

  const { address, end, outcome } = await startServing(given, { cwd: fleet.cwd })
  const get = async (path: string): Promise<string> => (await fetch(address + path)).text()
  const page = await get('/host?name=web01')
  expect(page).toContain('ring.all, version 7')
  expect(page).toContain('<span class="caution">2 runs</span>')
  expect(await get('/silence')).toContain('Runs that the server does not have')
  const silence: unknown = JSON.parse(await get('/api/silence'))
  expect(troubleWith(silence)).toBeNull()
  expect(silence).toMatchObject({ hosts: [], unsent: [{ name: 'web01', lost: 2, spool: 0 }] })
  end()
  expect(await outcome).toMatchObject({ code: 0 })
})
