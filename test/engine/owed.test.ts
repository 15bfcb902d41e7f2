import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Declaration } from '../../src/model/policy.ts'
import type { ResourceResult } from '../../src/model/run.ts'
import { runPolicies, type RunOptions } from '../../src/engine/run.ts'
import { openOwedReactions } from '../../src/host/live/owed-reactions.ts'
import { type Lamp, lamp, lampType } from '../support/lamp.ts'
import { declare, policyOf } from '../support/policy.ts'
import { EMPTY_MACHINE, NO_HANDS } from '../support/target.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const AGAIN = 'Switched on again via subscribe'
const OWED = 'the reaction to the change of lamp#hall was still pending: an earlier fix was interrupted'

function lit(name: string, subscribe: readonly string[] = []): Declaration {
  return declare(`lamp#${name}`, { properties: { name, ensure: 'on' }, subscribe: subscribe.map((id) => `lamp#${id}`) })
}

const RESOURCES = [lit('hall'), lit('stair', ['hall'])]

/** Runs as separate processes do: what is owed goes through the disk. */
async function run(
  directory: string,
  lamps: Record<string, Lamp>,
  options: Partial<RunOptions> = { remediator: NO_HANDS },
): Promise<Record<string, ResourceResult>> {
  const done = await runPolicies([policyOf(RESOURCES)], {
    target: EMPTY_MACHINE,
    types: [lampType(lamps)],
    owed: openOwedReactions(directory),
    ...options,
  })
  return Object.fromEntries(done.policies.flatMap(({ resources }) => resources).map((result) => [result.name, result]))
}

test('a reaction that failed is owed: an audit says so, the next fix does it, and then it is no more', async () => {
  const directory = temporaryDirectory()
  const lamps = { hall: lamp('off'), stair: lamp('on', { jammed: 'it is stuck' }) }
  expect((await run(directory, lamps))['stair']).toMatchObject({ verdict: 'fix-failed' })
  expect((await run(directory, lamps, {}))['stair']).toMatchObject({
    verdict: 'compliant',
    actions: ['Would have switched on again via subscribe'],
    warnings: [OWED],
  })
  delete lamps.stair.jammed
  expect((await run(directory, lamps))['stair']).toMatchObject({ verdict: 'fixed', actions: [AGAIN], warnings: [OWED] })
  expect((await run(directory, lamps))['stair']).toMatchObject({ verdict: 'compliant', actions: [] })
})

test('a reaction in the same fix was never owed by an earlier one', async () => {
  const { stair } = await run(temporaryDirectory(), { hall: lamp('off'), stair: lamp('on') })
  expect(stair).toMatchObject({ verdict: 'fixed', actions: [AGAIN] })
  expect(stair).not.toHaveProperty('warnings')
})

test('a reaction that a fix was ended before is owed', async () => {
  const directory = temporaryDirectory()
  const lamps = { hall: lamp('off'), stair: lamp('on') }
  const killed = new AbortController()
  const onResult = (): void => killed.abort('SIGTERM')
  const first = await run(directory, lamps, { remediator: NO_HANDS, signal: killed.signal, onResult })
  expect(Object.keys(first)).toEqual(['hall'])
  expect((await run(directory, lamps))['stair']).toMatchObject({ verdict: 'fixed', actions: [AGAIN] })
})

test('a reaction is recorded as owed before the change, because a fix can be killed at any time', async () => {
  const directory = temporaryDirectory()
  const lamps = { hall: lamp('off', { broken: false }), stair: lamp('on') }
  let owedDuring: string | undefined
  const type = lampType(lamps)
  Object.defineProperty(lamps.hall, 'lies', {
    get() {
      owedDuring = openOwedReactions(directory).by(JSON.stringify(['policy', 'lamp#stair']))
      return false
    },
  })
  await runPolicies([policyOf(RESOURCES)], {
    target: EMPTY_MACHINE,
    types: [type],
    remediator: NO_HANDS,
    owed: openOwedReactions(directory),
  })
  expect(owedDuring).toBe('lamp#hall')
  expect(openOwedReactions(directory).by(JSON.stringify(['policy', 'lamp#stair']))).toBeUndefined()
})

test('a change that failed leaves nothing owed, and a store that cannot be read holds nothing', async () => {
  const directory = temporaryDirectory()
  await run(directory, { hall: lamp('off', { jammed: 'it is stuck' }), stair: lamp('on') })
  expect((await run(directory, { hall: lamp('on'), stair: lamp('on') }))['stair']).toMatchObject({ actions: [] })
  writeFileSync(join(directory, 'owed.json'), '{"x":')
  expect((await run(directory, { hall: lamp('on'), stair: lamp('on') }))['stair']).toMatchObject({ actions: [] })
})

test('nothing is changed where it cannot be written down what that owes', async () => {
  const lamps = { hall: lamp('off'), stair: lamp('on') }
  const { hall } = await run(join(temporaryDirectory(), 'gone'), lamps)
  expect(hall).toMatchObject({
    verdict: 'fix-failed',
    message: expect.stringContaining('cannot record the pending reactions') as string,
  })
  expect(lamps.hall.switched).toBe(0)
})
