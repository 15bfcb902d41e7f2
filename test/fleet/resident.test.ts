import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Resident, residentFleet, type ResidentSettings } from '../../src/fleet/resident.ts'
import { OperatorError } from '../../src/model/operator-error.ts'
import { storeReport } from '../support/fleet-view.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const DAY_MS = 86_400_000

/** A fleet that is looked at until the test ends. */
function running(from: string, settings: Pick<ResidentSettings, 'rosterFile' | 'rollout'> = {}): Resident {
  const resident = residentFleet({ from, intervalMs: DAY_MS, failOn: 'info', ...settings })
  const stopping = new AbortController()
  const ended = resident.run(stopping.signal)
  onTestFinished(async () => {
    stopping.abort()
    await ended
  })
  return resident
}

const names = (resident: Resident): readonly string[] | undefined => resident.view()?.hosts.map(({ name }) => name)

test('a new roster is used, and one that cannot be is said while the one before stays', async () => {
  const from = temporaryDirectory()
  const rosterFile = join(temporaryDirectory(), 'hosts.yaml')
  storeReport(from, { host: 'web01' })
  writeFileSync(rosterFile, 'hosts: [web01]\n')
  const resident = running(from, { rosterFile })
  await expect.poll(() => names(resident), { timeout: 90_000 }).toEqual(['web01'])
  const before = resident.view()?.version ?? 0
  writeFileSync(rosterFile, 'hosts: [web01, db01]\n')
  await expect.poll(() => names(resident), { timeout: 90_000 }).toEqual(['db01', 'web01'])
  expect(resident.view()?.version).toBeGreaterThan(before)
  writeFileSync(rosterFile, 'hosts: {}\n')
  await expect.poll(() => resident.view()?.troubles.length, { timeout: 90_000 }).toBe(1)
  expect(resident.view()?.troubles[0]).toContain('hosts must be a list')
  expect(names(resident)).toEqual(['db01', 'web01'])
  writeFileSync(rosterFile, 'hosts: [web01]\n')
  await expect.poll(() => resident.view()?.troubles, { timeout: 90_000 }).toEqual([])
})

test('reports that cannot be read any more make the gate undecided, and all is well when they are back', async () => {
  const from = join(temporaryDirectory(), 'reports')
  storeReport(from, { host: 'web01' })
  const resident = running(from)
  await expect.poll(() => resident.view()?.exit.code, { timeout: 90_000 }).toBe(0)
  renameSync(from, `${from}-away`)
  await expect.poll(() => resident.view()?.exit.code, { timeout: 90_000 }).toBe(3)
  expect(resident.view()).toMatchObject({
    exit: { reasons: ['the reports can no longer be read'] },
    hosts: [{ answer: 'compliant' }],
  })
  renameSync(`${from}-away`, from)
  await expect.poll(() => resident.view()?.exit.code, { timeout: 90_000 }).toBe(0)
})

test('silence of all hosts is one alarm', async () => {
  const from = temporaryDirectory()
  for (const host of ['web01', 'web02']) storeReport(from, { host, agoMs: 3 * DAY_MS })
  const resident = running(from)
  await expect.poll(() => resident.view()?.troubles.length, { timeout: 90_000 }).toBe(1)
  expect(resident.view()?.troubles[0]).toContain('No host has reported since')
})

test('a server that is away is one alarm, although its rollout stands still too', async () => {
  const from = join(temporaryDirectory(), 'reports')
  storeReport(from, { host: 'web01' })
  const rollout = {
    seen: () => undefined,
    look: () => Promise.reject(new OperatorError('connection refused')),
    close: () => Promise.resolve(),
  }
  const resident = running(from, { rollout })
  await expect
    .poll(() => resident.view()?.troubles, { timeout: 90_000 })
    .toEqual(['The rollout does not go on: connection refused'])
  renameSync(from, `${from}-away`)
  await expect
    .poll(() => resident.view()?.troubles, { timeout: 90_000 })
    .toEqual([expect.stringContaining('This page shows the state of that time')])
})
