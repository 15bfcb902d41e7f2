import { createHash, createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { loginOfContext, readAgent } from '../../src/fleet/nats/connect.ts'
import { natsSource } from '../../src/fleet/nats/nats-source.ts'
import { storeRun } from '../../src/runs/history/store.ts'
import { createLocalTarget } from '../../src/host/live/local-target.ts'
import { driftgate } from '../support/command-line.ts'
import { startDriftgate, temporaryDirectory } from '../support/driftgate.ts'
import { freePort, needsNats, startNats } from '../support/nats-server.ts'
import { policyResult, resourceResult, runOf } from '../support/run.ts'
import { cases } from '../support/soak.ts'

test.skipIf(needsNats)('killed and killed again, a host and its server store each run once', async () => {
  const cwd = temporaryDirectory()
  const address = `127.0.0.1:${await freePort()}`
  const succeed = async (args: readonly string[], text?: string): Promise<string> => {
    const { code, stdout, stderr } = await driftgate(args, { cwd, ...(text !== undefined && { stdin: { text } }) })
    expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' })
    return stdout
  }
  const place = ['--listen', address, '--store', join(cwd, 'store'), '--size', '20GiB']
  await succeed(['fleet', 'init', 'fleet', '--server', address, ...place])
  const invitation = await succeed(['fleet', 'enrol', 'web01', '--fleet', 'fleet'])
  const answer = await succeed(['fleet', 'join', '-', '--agent', 'agent'], invitation)
  await succeed(['fleet', 'accept', '-', '--fleet', 'fleet'], answer)
  const config = join(cwd, 'fleet/server/nats-server.conf')
  let server = await startNats(config)
  expect(await succeed(['fleet', 'prepare', '--fleet', 'fleet'])).toContain('DG_FULL made\n')

  const count = cases({ usual: 300, soak: 5000 })
  const { system } = createLocalTarget()
  const ids = Array.from({ length: count }, () => crypto.randomUUID())
  for (const [at, id] of ids.entries()) {
    const startedAt = new Date(Date.UTC(2026, 9, 1) + at * 60_000).toISOString()
    // Now and then something else, and now and then another policy: so some are sent whole, some as changes, some as neither.
    const policy = policyResult({ sha256: String(Math.floor(at / 250)).padStart(64, '0'), resources: resultsOf(at) })
    const run = { ...runOf().run, id, startedAt }
    await storeRun(join(cwd, 'history'), runOf({ run, policies: [policy], target: { kind: 'local', ...system } }))
  }

  const outbox = (): number => {
    try {
      return JSON.parse(readFileSync(join(cwd, 'agent/outbox.json'), 'utf8')).sent.length
    } catch {
      return 0
    }
  }
  let kills = 0
  for (let last = -1; outbox() < count;) {
    const sending = startDriftgate(['fleet', 'send', '--agent', 'agent', '--history', 'history'], {
      cwd,
    })
    if (kills < 12) {
      // Some way into the rest, so that what is killed is at work.
      const from = outbox()
      const until = from + 1 + Math.floor(Math.random() * ((count - from) / 6))
      while (outbox() < until && sending.child.exitCode === null) await setTimeout(5)
      if (kills % 2 === 0) sending.child.kill('SIGKILL')
      else {
        await server.kill()
        server = await startNats(config)
      }
      kills += 1
    }
    await sending.outcome
    expect(outbox()).toBeGreaterThan(last)
    last = outbox()
  }
  expect(kills).toBe(12)

  const key = createPublicKey(readAgent(join(cwd, 'agent')).key)
  const source = natsSource(loginOfContext(join(cwd, 'fleet/viewer/context.json')), new Map([['web01', key]]))
  const heard: string[] = []
  const counts = { add: 0, still: 0 }
  const hear =
    (how: keyof typeof counts) =>
    ({ runId }: { readonly runId: string }): void => {
      heard.push(runId)
      counts[how]++
    }
  const listener = { add: hear('add'), still: hear('still'), gone: () => undefined }
  const unusable = await source.news(listener, 'everywhere')
  await source.close()
  expect(unusable).toEqual([])
  expect(heard.toSorted()).toEqual(ids.toSorted())
  expect(Math.min(counts.add, counts.still)).toBeGreaterThan(count / 10)

  const shown = ['--context', 'fleet/viewer/context.json', '--roster', 'fleet/operator/roster.yaml']
  const status = JSON.parse(await succeed(['fleet', 'hosts', ...shown, '--format', 'json', '--interval', '1h']))
  expect(status.hosts).toMatchObject([{ name: 'web01', presence: 'silent' }])
  expect(await driftgate(['fleet', 'gate', ...shown], { cwd })).toMatchObject({ code: 3 })
})

/** What a host has at a time: now and then something else. */
function resultsOf(at: number): ReturnType<typeof resourceResult>[] {
  return Array.from({ length: 60 }, (_, index) => {
    const name = `/etc/application/${createHash('sha256').update(String(index)).digest('hex')}.conf`
    const isDrifted = index === Math.floor(at / 9) % 60
    const drift = [{ property: 'mode', desired: '0640', observed: '0666' }]
    return resourceResult(isDrifted ? { name, verdict: 'drifted', change: 'will', drift } : { name })
  })
}
