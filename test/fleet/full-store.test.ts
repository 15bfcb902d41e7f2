import { join } from 'node:path'
import { expect, test } from 'vitest'
import { keepUp } from '../../src/fleet/nats/assigned.ts'
import { storeRun } from '../../src/runs/history/store.ts'
import type { Line } from '../../src/host/nats/line.ts'
import { createLocalTarget } from '../../src/host/live/local-target.ts'
import { filesIn } from '../support/bundles.ts'
import { runInProcess } from '../support/command-line.ts'
import { needsNats } from '../support/nats-server.ts'
import { runOf } from '../support/run.ts'
import { startTestFleet } from './support.ts'

/** Stores until the server refuses it, with a subject of its own each time, so that nothing gives way. */
async function fill(line: Line, subject: (at: number) => string, bytes: number): Promise<void> {
  const body = Buffer.alloc(bytes)
  for (let at = 0; ; at += 1) {
    const said: { readonly error?: { readonly description: string } } = JSON.parse(
      await line.ask(subject(at), { body, timeoutMs: 5000 }),
    )
    if (said.error === undefined) continue
    expect(said.error.description).toContain('maximum bytes exceeded')
    return
  }
}

test.skipIf(needsNats)('a server that is full takes no report, says so, and nothing counts as sent', async () => {
  const fleet = await startTestFleet('1MiB')
  await storeRun(join(fleet.directory, 'history'), runOf({ target: { kind: 'local', ...createLocalTarget().system } }))
  for (const bytes of [20_000, 200]) await fill(await fleet.operator(), (at) => `dg.v1.full.other${bytes}-${at}`, bytes)
  const from = ['--agent', fleet.agent, '--history', join(fleet.directory, 'history')]
  for (let tries = 0; tries < 2; tries++)
    expect(await runInProcess('fleet', 'send', ...from)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('maximum bytes exceeded'),
    })
})

test.skipIf(needsNats)('a server that is full takes no policy and no assignment, and says so', async () => {
  const fleet = await startTestFleet('1MiB')
  const site = {
    'site.yaml': 'policy: { id: site }\nccm: { resources: [{ package: [{ curl: { ensure: present } }] }] }\n',
  }
  const run = (...args: readonly string[]) => runInProcess('fleet', ...args, '--fleet', fleet.fleet)
  const { stdout } = await run('publish', join(filesIn(site), 'site.yaml'))
  const line = await fleet.operator()
  for (const bytes of [4000, 50]) await fill(line, (at) => `$KV.ASSIGN.ring.other${at}`, bytes)
  const policy = ['--policy', stdout.slice(0, 64), '--reason', 'x']
  expect(await run('assign', '--to', 'ring.all', ...policy)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('maximum bytes exceeded'),
  })
  for (const bytes of [8000, 50]) await fill(line, (at) => `$KV.POLICY.other${at}`, bytes)
  expect(await run('publish', '@ssh')).toMatchObject({ code: 1, stdout: '' })
  expect(await keepUp(await fleet.web01(), fleet.agent)).toMatchObject({ kind: 'none' })
})
