import { succeed } from './support.ts'
import { createPublicKey } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, test } from 'vitest'
import { enter, loginOfContext, readAgent } from '../../src/fleet/nats/connect.ts'
import { natsSource } from '../../src/fleet/nats/nats-source.ts'
import type { ReceivedHeartbeat, ReceivedRun } from '../../src/fleet/source.ts'
import { type InProcess, runInProcess } from '../support/command-line.ts'
import { freePort, needsNats, startNats } from '../support/nats-server.ts'
import { temporaryDirectory } from '../support/temporary.ts'

interface Fleet {
  readonly directory: string
  readonly fleet: string
  /** Lets the server read who may connect. */
  readonly reload: () => void
  /** Ends the server as a power cut would, and starts it again. */
  readonly restart: () => Promise<void>
}

async function startFleet(): Promise<Fleet> {
  const directory = temporaryDirectory()
  const fleet = join(directory, 'fleet')
  const address = `127.0.0.1:${await freePort()}`
  const place = ['--listen', address, '--store', join(directory, 'store'), '--size', '64MiB']
  await succeed('fleet', 'init', fleet, '--server', address, ...place)
  const config = join(fleet, 'server/nats-server.conf')
  let server = await startNats(config)
  await succeed('fleet', 'prepare', '--fleet', fleet)
  return {
    directory,
    fleet,
    reload: () => void process.kill(server.pid, 'SIGHUP'),
    async restart() {
      await server.kill()
      server = await startNats(config)
    },
  }
}

async function enrol({ directory, fleet, restart }: Fleet, name: string): Promise<void> {
  const invitation = await succeed('fleet', 'enrol', name, '--fleet', fleet)
  const answer = await succeed('fleet', 'join', invitation, '--agent', join(directory, name))
  await succeed('fleet', 'accept', answer, '--fleet', fleet)
  await restart()
}

async function scan({ directory }: Fleet, name: string): Promise<void> {
  const policy = join(directory, 'site.yaml')
  const motd = {
    [join(directory, 'motd')]: { ensure: 'present', content: 'Welcome', owner: 'root', group: 'root', mode: '0644' },
  }
  writeFileSync(policy, JSON.stringify({ ccm: { resources: [{ file: [motd] }] } }))
  const history = ['--history', join(directory, `${name}-history`)]
  expect(await runInProcess('scan', policy, ...history, '--quiet')).toMatchObject({ code: 2, stderr: '' })
}

function send({ directory }: Fleet, name: string): Promise<InProcess> {
  const from = ['--agent', join(directory, name), '--history', join(directory, `${name}-history`)]
  return runInProcess('fleet', 'send', ...from)
}

/** What a viewer hears, with the keys of these hosts. */
async function heard({ directory, fleet }: Fleet, ...names: readonly string[]) {
  const keys = new Map(names.map((name) => [name, createPublicKey(readAgent(join(directory, name)).key)]))
  const source = natsSource(loginOfContext(join(fleet, 'viewer/context.json')), keys)
  const runs: ReceivedRun[] = []
  const beats: ReceivedHeartbeat[] = []
  const unusable = await source.news(
    { add: (run) => runs.push(run), still: (beat) => beats.push(beat), gone: () => undefined },
    'everywhere',
  )
  await source.close()
  return { runs, beats, reasons: unusable.map(({ reason }) => reason) }
}

test.skipIf(needsNats)('stored runs arrive once, under the name that the host was enrolled by', async () => {
  const fleet = await startFleet()
  await enrol(fleet, 'web01')
  await scan(fleet, 'web01')
  await scan(fleet, 'web01')
  expect(await send(fleet, 'web01')).toMatchObject({ code: 0, stderr: 'driftgate: sent 2 runs of web01\n' })
  expect(await send(fleet, 'web01')).toMatchObject({ code: 0, stderr: 'driftgate: sent 0 runs of web01\n' })

  const { runs, reasons } = await heard(fleet, 'web01')
  expect(reasons).toEqual([])
  expect(runs.map(({ host, isPerformed }) => ({ host, isPerformed }))).toEqual([
    { host: 'web01', isPerformed: true },
    { host: 'web01', isPerformed: true },
  ])
})

test.skipIf(needsNats)('a server that is away takes nothing, and nothing is lost', async () => {
  const fleet = await startFleet()
  await enrol(fleet, 'web01')
  await scan(fleet, 'web01')
  const { url } = readAgent(join(fleet.directory, 'web01')).login
  const settings = join(fleet.directory, 'web01/agent.json')
  const text = readFileSync(settings, 'utf8')
  writeFileSync(settings, text.replace(url, 'tls://127.0.0.1:1'))
  expect(await send(fleet, 'web01')).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot connect to') })
  writeFileSync(settings, text)
  await fleet.restart()
  expect(await send(fleet, 'web01')).toMatchObject({ code: 0, stderr: 'driftgate: sent 1 run of web01\n' })
})

test.skipIf(needsNats)('a host that forgot what it sent sends it again, and it counts once', async () => {
  const fleet = await startFleet()
  await enrol(fleet, 'web01')
  await scan(fleet, 'web01')
  await send(fleet, 'web01')
  rmSync(join(fleet.directory, 'web01/outbox.json'))
  expect(await send(fleet, 'web01')).toMatchObject({ code: 0, stderr: 'driftgate: sent 1 run of web01\n' })
  expect((await heard(fleet, 'web01')).runs).toHaveLength(1)
})

test.skipIf(needsNats)('a message that the key of its host did not sign is reported and does not count', async () => {
  const fleet = await startFleet()
  await enrol(fleet, 'web01')
  await enrol(fleet, 'db01')
  await scan(fleet, 'web01')
  await send(fleet, 'web01')
  // An attacker in control of the server can store anything there, a report of another host included.
  const line = await enter(loginOfContext(join(fleet.fleet, 'operator/context.json')))
  const asked = { body: '{"seq":1}', timeoutMs: 5000 }
  const stored: { readonly message: { readonly data: string; readonly hdrs: string } } = JSON.parse(
    await line.ask('$JS.API.STREAM.MSG.GET.DG_FULL', asked),
  )
  const body = Buffer.from(stored.message.data, 'base64')
  const signed = new Map(
    [
      ...Buffer.from(stored.message.hdrs, 'base64')
        .toString()
        .matchAll(/^(Dg-\w+): (.*?)\r$/gm),
    ].map((each) => [each[1] ?? '', each[2] ?? '']),
  )
  const forge = async (
    subject: string,
    bytes: Uint8Array,
    changed: Readonly<Record<string, string>> = {},
  ): Promise<void> => {
    await line.ask(subject, { body: bytes, headers: { ...Object.fromEntries(signed), ...changed }, timeoutMs: 5000 })
  }
  await forge('dg.v1.full.db01', body)
  await forge('dg.v1.full.web01', Buffer.concat([body, Buffer.from('x')]))
  await forge('dg.v1.full.web01', body, { 'Dg-Run': 'another' })
  await forge('dg.v1.full.web01', body, { 'Dg-Sig': '' })
  await forge('dg.v1.full.stranger', body)
  await line.close()

  const { runs, reasons } = await heard(fleet, 'web01', 'db01')
  expect(runs).toHaveLength(1)
  expect(reasons).toEqual([
    'it is not signed by the key of db01, and names another one',
    'it is not signed by the key of web01',
    'it is not signed by the key of web01',
    'it is not signed by the key of web01',
    'the roster has no key of stranger',
  ])
})

test.skipIf(needsNats)('a host that was not accepted is not let in, and is after a reload', async () => {
  const fleet = await startFleet()
  const invitation = await succeed('fleet', 'enrol', 'web01', '--fleet', fleet.fleet)
  const answer = await succeed('fleet', 'join', invitation, '--agent', join(fleet.directory, 'web01'))
  await scan(fleet, 'web01')
  expect(await send(fleet, 'web01')).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot connect to') })
  await succeed('fleet', 'accept', answer, '--fleet', fleet.fleet)
  fleet.reload()
  await expect.poll(async () => (await send(fleet, 'web01')).code, { timeout: 90_000 }).toBe(0)
})
