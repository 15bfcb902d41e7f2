import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type Fleet, openFleet } from '../../src/fleet/fleet.ts'
import { LARGEST_HEARD_BYTES } from '../../src/fleet/read-candidate.ts'
import { storeReport } from '../support/fleet-view.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const DAY_MS = 86_400_000

/** A fleet in a directory, and how its hosts stand after a look. */
function fleetIn(from: string, rosterText?: string): { readonly fleet: Fleet; readonly look: Look } {
  const rosterFile = join(temporaryDirectory(), 'hosts.yaml')
  if (rosterText !== undefined) writeFileSync(rosterFile, rosterText)
  const fleet = openFleet({ from, intervalMs: DAY_MS, ...(rosterText === undefined ? {} : { rosterFile }) })
  const look: Look = async (where = 'everywhere') => {
    await fleet.look(where)
    const { hosts } = fleet.view(Date.now())
    return Object.fromEntries(hosts.map(({ name, presence, answer }) => [name, `${presence} ${answer}`]))
  }
  return { fleet, look }
}

type Look = (where?: 'everywhere' | 'hinted') => Promise<Readonly<Record<string, string>>>

test('a report that is too large is said, whether it says so or only unpacks to it, and its host is undecided', async () => {
  const from = temporaryDirectory()
  for (const host of ['web01', 'web02', 'web03']) storeReport(from, { host, path: `${host}/a.json`, agoMs: 60_000 })
  const { fleet, look } = fleetIn(from, 'hosts: [web01, web02, web03]\n')
  expect(await look()).toEqual({
    web01: 'reporting compliant',
    web02: 'reporting compliant',
    web03: 'reporting compliant',
  })
  writeFileSync(join(from, 'web01/b.json'), ' '.repeat(LARGEST_HEARD_BYTES + 1))
  writeFileSync(join(from, 'web02/b.json.gz'), gzipSync(Buffer.alloc(LARGEST_HEARD_BYTES + 1, ' ')))
  expect(await look()).toEqual({
    web01: 'reporting undecided',
    web02: 'reporting undecided',
    web03: 'reporting compliant',
  })
  const { unusable, hosts } = fleet.view(Date.now())
  expect(unusable).toHaveLength(2)
  expect(hosts[0]?.trouble).toContain(`its last report cannot be used: it is larger than ${LARGEST_HEARD_BYTES}`)
  storeReport(from, { host: 'web01', path: 'web01/c.json', agoMs: -1_000 })
  expect((await look())['web01']).toBe('reporting compliant')
})

test('without a roster a directory belongs to the one host whose reports lie there', async () => {
  const from = temporaryDirectory()
  storeReport(from, { host: 'web01', path: 'one/a.json', agoMs: 60_000 })
  storeReport(from, { host: 'web02', path: 'two/a.json', agoMs: 60_000 })
  storeReport(from, { host: 'web03', path: 'two/b.json', agoMs: 60_000 })
  for (const folder of ['one', 'two']) writeFileSync(join(from, folder, 'cut.json'), '{')
  expect(await fleetIn(from).look()).toEqual({
    web01: 'reporting undecided',
    web02: 'reporting compliant',
    web03: 'reporting compliant',
  })
})

test('a host is forged as long as the run of another one lies in its place', async () => {
  const from = temporaryDirectory()
  storeReport(from, { host: 'web01', path: 'web01/a.json' })
  storeReport(from, { host: 'web02', path: 'web01/b.json' })
  const { look } = fleetIn(from, 'hosts: [web01]\n')
  expect(await look()).toEqual({ web01: 'forged undecided' })
  expect(await look()).toEqual({ web01: 'forged undecided' })
  rmSync(join(from, 'web01/b.json'))
  expect(await look()).toEqual({ web01: 'reporting compliant' })
  renameSync(join(from, 'web01'), join(from, 'elsewhere'))
  expect(await look()).toEqual({ web01: 'reporting compliant' })
})

test('the system tells where something is new, and only there is looked then', async () => {
  const from = temporaryDirectory()
  storeReport(from, { host: 'web01', path: 'web01/a.json', agoMs: 60_000 })
  const { fleet, look } = fleetIn(from)
  let told = (): void => undefined
  const hinted = (): Promise<void> => new Promise((resolve) => (told = resolve))
  const first = hinted()
  const unwatch = fleet.watch(() => told())
  try {
    await look()
    await first // What came while it began to watch is looked at once more.
    await look('hinted')
    const second = hinted()
    storeReport(from, { host: 'web01', path: 'web01/b.json', controls: { 'site-01': 'drifted' } })
    await second
    await expect.poll(() => look('hinted')).toEqual({ web01: 'reporting drifted' })
    const third = hinted()
    storeReport(from, { host: 'web02', path: 'web02/a.json' })
    await third
    await expect.poll(() => look('hinted')).toEqual({ web01: 'reporting drifted', web02: 'reporting compliant' })
  } finally {
    unwatch()
  }
})

test('an unchanged report is not read again, and a changed one is', async () => {
  const from = temporaryDirectory()
  storeReport(from, { host: 'web01', path: 'a.json' })
  const { fleet, look } = fleetIn(from)
  await look()
  await look()
  expect(fleet.heard()).toBe(1)
  const [name = ''] = readdirSync(from)
  appendFileSync(join(from, name), '\n')
  await look()
  expect(fleet.heard()).toBe(2)
  expect(fleet.view(Date.now()).hosts[0]?.runs).toHaveLength(1)
})

test('a report below three directories is ignored', async () => {
  const from = temporaryDirectory()
  mkdirSync(join(from, 'a/b/c'), { recursive: true })
  storeReport(from, { host: 'web01', path: 'a/b/c/a.json' })
  storeReport(from, { host: 'web02', path: 'a/b/a.json' })
  expect(await fleetIn(from).look()).toEqual({ web02: 'reporting compliant' })
})
