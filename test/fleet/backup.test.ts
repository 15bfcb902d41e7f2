import { chmodSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { keepUp } from '../../src/fleet/nats/assigned.ts'
import { runInProcess } from '../support/command-line.ts'
import { filesIn } from '../support/bundles.ts'
import { needsNats, startNats } from '../support/nats-server.ts'
import { runOf } from '../support/run.ts'
import { createLocalTarget } from '../../src/host/live/local-target.ts'
import { storeRun } from '../../src/runs/history/store.ts'
import { startTestFleet, succeed, type TestFleet } from './support.ts'

const HOUR = 3_600_000
const PASSPHRASE = 'correct horse battery staple'

/** Writes a file that its owner alone may read. */
function secretIn(directory: string, text: string): string {
  const path = join(directory, 'passphrase')
  writeFileSync(path, text)
  chmodSync(path, 0o600)
  return path
}

/** Stores a run of so many hours ago in the history of the host, and sends it. */
async function report(fleet: TestFleet, hoursAgo: number, change: Parameters<typeof runOf>[0] = {}): Promise<void> {
  const history = join(fleet.directory, 'history')
  const startedAt = new Date(Date.now() - hoursAgo * HOUR).toISOString()
  const run = { ...runOf().run, id: crypto.randomUUID(), startedAt }
  const { system } = createLocalTarget()
  await storeRun(history, runOf({ run, target: { kind: 'local', ...system }, ...change }))
  await succeed('fleet', 'send', '--agent', fleet.agent, '--history', history)
}

async function shown({ fleet }: TestFleet): Promise<{ readonly hosts: readonly object[]; readonly stderr: string }> {
  const view = ['--context', join(fleet, 'viewer/context.json'), '--roster', join(fleet, 'operator/roster.yaml')]
  const { stdout, stderr } = await runInProcess('fleet', 'hosts', ...view, '--format', 'json')
  return { hosts: JSON.parse(stdout).hosts, stderr }
}

/** What an auditor makes of all that the host has sent. */
async function verified({ directory, fleet }: TestFleet): Promise<string> {
  const view = ['--context', join(fleet, 'viewer/context.json'), '--roster', join(fleet, 'operator/roster.yaml')]
  const bundle = join(directory, 'web01.json')
  writeFileSync(bundle, await succeed('fleet', 'evidence', ...view, '--host', 'web01'))
  const [, key = ''] = /key: (U\w+)/.exec(readFileSync(join(fleet, 'operator/roster.yaml'), 'utf8')) ?? []
  return (await runInProcess('evidence', 'verify', bundle, '--key', key)).stdout.trim()
}

test.skipIf(needsNats)(
  'a server that is lost is restored: hosts are decided, and what they sent is what was signed',
  async () => {
    const fleet = await startTestFleet()
    const run = (...args: readonly string[]) => runInProcess('fleet', ...args, '--fleet', fleet.fleet)
    const folder = filesIn({
      'site.yaml': 'policy: { id: site }\nccm: { resources: [{ package: [{ curl: { ensure: present } }] }] }\n',
    })
    const digest = (await succeed('fleet', 'publish', join(folder, 'site.yaml'), '--fleet', fleet.fleet)).slice(0, 64)
    const assign = (reason: string) => run('assign', '--to', 'ring.all', '--policy', digest, '--reason', reason)
    await assign('first')
    for (const hoursAgo of [5, 4, 3]) await report(fleet, hoursAgo)
    const secret = ['--passphrase-file', secretIn(fleet.directory, `${PASSPHRASE}\n`)]
    const backup = join(fleet.directory, 'fleet.backup')
    expect(await run('backup', backup, ...secret)).toMatchObject({ code: 0 })
    // What comes behind the backup: another assignment, which the host takes, and more runs.
    await assign('second')
    const line = await fleet.web01()
    expect(await keepUp(line, fleet.agent)).toMatchObject({ assignment: { version: 2 } })
    for (const hoursAgo of [2, 1]) await report(fleet, hoursAgo)
    await line.close()
    await fleet.server.kill()
    rmSync(join(fleet.directory, 'store'), { recursive: true })
    // The operator's machine is lost, too.
    rmSync(fleet.fleet, { recursive: true })

    expect(await run('restore', backup, ...secret)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('start nats-server with nats-server.conf of'),
    })
    await startNats(join(fleet.fleet, 'server/nats-server.conf'))
    expect(await run('restore', backup, ...secret)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('signed the assignments of ring.all again'),
    })
    const again = await fleet.web01()
    expect(await keepUp(again, fleet.agent)).toMatchObject({
      kind: 'assigned',
      assignment: { version: 1002, policies: [{ name: 'site', sha256: digest }] },
    })
    await report(fleet, 0)
    const { hosts, stderr } = await shown(fleet)
    expect(stderr).toBe('')
    expect(hosts).toMatchObject([{ name: 'web01', answer: 'compliant' }])
    expect(await verified(fleet)).toMatch(/^6 signed messages of web01, 1 to 6, about 6 runs[^]*\nverified$/)
    const { stdout } = await run('audit')
    expect(stdout).toMatch(/publish .*\n(?:.*\n)*.*backup .*\n(?:.*\n)*.*restore /)
    // A server that has something is not overwritten.
    expect(await run('restore', backup, ...secret)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/the server has DG_\w+ with messages already/),
    })
  },
  180_000,
)

test.skipIf(needsNats)('a backup opens with its passphrase alone, and only as a whole', async () => {
  const fleet = await startTestFleet()
  const run = (...args: readonly string[]) => runInProcess('fleet', ...args, '--fleet', fleet.fleet)
  const backup = join(fleet.directory, 'fleet.backup')
  const secret = secretIn(fleet.directory, PASSPHRASE)
  const words = ['--passphrase-file', secret]
  chmodSync(secret, 0o644)
  expect((await run('backup', backup, ...words)).stderr).toContain('other users can read it')
  chmodSync(secret, 0o600)
  writeFileSync(secret, 'short')
  expect((await run('backup', backup, ...words)).stderr).toContain('too short: at least 12 characters')
  writeFileSync(secret, PASSPHRASE)
  expect(await run('backup', backup, ...words)).toMatchObject({ code: 0 })
  expect(statSync(backup).mode & 0o777).toBe(0o600)
  const seed = readFileSync(join(fleet.fleet, 'operator/nats.nk'), 'utf8').trim()
  const bytes = readFileSync(backup)
  expect(bytes.includes(seed)).toBe(false)

  renameSync(fleet.fleet, `${fleet.fleet}.lost`)
  const refused = async (text: string): Promise<void> => {
    const { code, stderr } = await run('restore', backup, ...words)
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(text) })
    expect(() => statSync(fleet.fleet)).toThrow('ENOENT')
  }
  writeFileSync(secret, 'another passphrase')
  await refused('wrong passphrase')
  writeFileSync(secret, PASSPHRASE)
  const changed = Buffer.from(bytes)
  changed[bytes.length - 100] = (changed[bytes.length - 100] ?? 0) ^ 1
  writeFileSync(backup, changed)
  await refused('is damaged: record')
  writeFileSync(backup, bytes)
  truncateSync(backup, bytes.length - 20)
  await refused('is damaged: it is cut off')
  writeFileSync(backup, 'something else')
  await refused('is not a fleet backup')
})
