import { createPublicKey } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { enter, loginOfContext, readAgent } from '../../src/fleet/nats/connect.ts'
import { connectionsOf } from '../../src/fleet/nats/connections.ts'
import { storeRun } from '../../src/runs/history/store.ts'
import { createLocalTarget } from '../../src/host/live/local-target.ts'
import { runInProcess } from '../support/command-line.ts'
import { freePort, type NatsServer, needsNats, startNats } from '../support/nats-server.ts'
import { runOf } from '../support/run.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { portFromElsewhere, startTestFleet, succeed, type TestFleet } from './support.ts'

const HOUR = 3_600_000

type Place = Pick<TestFleet, 'directory' | 'fleet' | 'agent'>

/** Stores a run of so many hours ago in the history of the host. */
async function scan({ directory }: Place, hoursAgo: number): Promise<void> {
  const startedAt = new Date(Date.now() - hoursAgo * HOUR).toISOString()
  const run = { ...runOf().run, id: crypto.randomUUID(), startedAt }
  await storeRun(join(directory, 'history'), runOf({ run, target: { kind: 'local', ...createLocalTarget().system } }))
}

const send = ({ directory, agent }: Place) =>
  runInProcess('fleet', 'send', '--agent', agent, '--history', join(directory, 'history'))

async function answers({ fleet }: Place): Promise<unknown> {
  const view = ['--context', join(fleet, 'viewer/context.json'), '--roster', join(fleet, 'operator/roster.yaml')]
  const { stdout } = await runInProcess('fleet', 'hosts', ...view, '--format', 'json')
  return JSON.parse(stdout).hosts
}

test.skipIf(needsNats)(
  'a server moves to another address, and hosts follow',
  async () => {
    const fleet = await startTestFleet()
    const run = (...args: readonly string[]) => runInProcess('fleet', ...args, '--fleet', fleet.fleet)
    await scan(fleet, 2)
    expect(await send(fleet)).toMatchObject({ code: 0 })
    const before = readAgent(fleet.agent).login.url
    const port = await freePort()
    expect(await run('move', `127.0.0.1:${port}`)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`hosts connect to tls://127.0.0.1:${port},${before} once they have reported`),
    })
    await scan(fleet, 1)
    expect(await send(fleet)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`connects to tls://127.0.0.1:${port}`),
    })
    expect(readAgent(fleet.agent).login.url).toBe(`tls://127.0.0.1:${port},${before}`)
    // With what the old one stored: a backup, which the new one gets.
    const secret = join(fleet.directory, 'passphrase')
    writeFileSync(secret, 'correct horse battery staple', { mode: 0o600 })
    const words = [join(fleet.directory, 'backup'), '--passphrase-file', secret]
    await succeed('fleet', 'backup', ...words, '--fleet', fleet.fleet)
    await fleet.server.kill()
    rmSync(join(fleet.directory, 'store'), { recursive: true })
    const moved = await startNats(join(fleet.fleet, 'server/nats-server.conf'))
    expect(moved.port).toBe(port)
    expect(await run('restore', ...words)).toMatchObject({ code: 0 })
    await scan(fleet, 0)
    expect(await send(fleet)).toMatchObject({ code: 0 })
    expect(await answers(fleet)).toMatchObject([{ name: 'web01', answer: 'compliant', presence: 'reporting' }])
    expect((await run('audit', '--act', 'move')).stdout).toContain(`hosts connect to tls://127.0.0.1:${port}`)
  },
  180_000,
)

/** Three servers of this machine: what is one port and one directory on three machines are three here. */
async function startCluster(): Promise<
  Place & { readonly servers: readonly NatsServer[]; readonly startAnew: () => Promise<readonly NatsServer[]> }
> {
  const directory = temporaryDirectory()
  const fleet = join(directory, 'fleet')
  const agent = join(directory, 'web01')
  const ports = [await freePort(), await freePort(), await freePort()]
  const routes = [await freePort(), await freePort(), await freePort()]
  const addresses = ports.map((port) => `127.0.0.1:${port}`)
  const place = ['--listen', `127.0.0.1:${ports[0]}`, '--store', join(directory, 'store'), '--size', '128MiB']
  await succeed('fleet', 'init', fleet, '--server', addresses.join(','), ...place)
  const invitation = await succeed('fleet', 'enrol', 'web01', '--fleet', fleet)
  await succeed('fleet', 'accept', await succeed('fleet', 'join', invitation, '--agent', agent), '--fleet', fleet)
  const config = readFileSync(join(fleet, 'server/nats-server.conf'), 'utf8')
  const places = ports.map((port, at) => {
    const each = join(directory, `server${at}`)
    mkdirSync(each)
    writeFileSync(join(each, 'hosts.conf'), readFileSync(join(fleet, 'server/hosts.conf')))
    const own = config
      .replace(/^listen: .*/m, `listen: "127.0.0.1:${port}"`)
      .replace(/^ {2}listen: .*/m, `  listen: "127.0.0.1:${routes[at]}"`)
      .replace(/store_dir: .*/, `store_dir: "${join(each, 'store')}"`)
      .replace(
        / {2}routes: \[[^]*?\]/,
        `  routes: [${routes.map((route) => `"nats-route://127.0.0.1:${route}"`).join(', ')}]`,
      )
    const path = join(each, 'nats-server.conf')
    writeFileSync(path, own)
    return each
  })
  const start = (): Promise<readonly NatsServer[]> =>
    Promise.all(
      places.map((each, at) => startNats(join(each, 'nats-server.conf'), { DRIFTGATE_SERVER: `server${at}` })),
    )
  const startAnew = (): Promise<readonly NatsServer[]> => {
    for (const each of places) rmSync(join(each, 'store'), { recursive: true })
    return start()
  }
  return { directory, fleet, agent, servers: await start(), startAnew }
}

test.skipIf(needsNats)(
  'a cluster of three loses one server, and goes on with all that was stored',
  async () => {
    const cluster = await startCluster()
    await prepare(cluster)
    await scan(cluster, 1)
    await sent(cluster)
    await cluster.servers[0]?.kill()
    await scan(cluster, 0)
    await sent(cluster)
    await compliant(cluster)
  },
  240_000,
)

test.skipIf(needsNats)(
  'a key that is in use at two servers of a cluster from two addresses is told',
  async () => {
    const { fleet, agent, servers } = await startCluster()
    const { login, key } = readAgent(agent)
    const viewer = loginOfContext(join(fleet, 'viewer/context.json'))
    const connections = connectionsOf(viewer, new Map([['web01', createPublicKey(key)]]))
    if (connections === undefined) throw new Error('nobody may ask for connections')
    onTestFinished(connections.close)
    const [first, second] = servers
    const host = await enter({ ...login, url: `tls://127.0.0.1:${first?.port}` })
    const thief = await enter({ ...login, url: `tls://127.0.0.1:${await portFromElsewhere(second?.port ?? 0)}` })
    let minute = 11
    await expect
      .poll(() => connections.shared(Date.now() + minute++ * 60_000), soon)
      .toMatchObject([{ reason: 'the key of web01 is in use from 127.0.0.1 and 127.0.0.2 at once', isForged: true }])
    await Promise.all([host.close(), thief.close()])
  },
  240_000,
)

test.skipIf(needsNats)(
  'a cluster that is lost as a whole is restored on three empty servers',
  async () => {
    const cluster = await startCluster()
    await prepare(cluster)
    await scan(cluster, 2)
    await sent(cluster)
    const secret = join(cluster.directory, 'passphrase')
    writeFileSync(secret, 'correct horse battery staple', { mode: 0o600 })
    const words = [join(cluster.directory, 'backup'), '--passphrase-file', secret, '--fleet', cluster.fleet]
    await succeed('fleet', 'backup', ...words)
    await scan(cluster, 1)
    await sent(cluster)
    for (const server of cluster.servers) await server.kill()
    const anew = await cluster.startAnew()
    await expect
      .poll(async () => (await runInProcess('fleet', 'restore', ...words)).stderr, { timeout: 60_000 })
      .toContain('restored')
    await sent(cluster)
    await compliant(cluster)
    // What was restored is on all three, so that one of them may be lost.
    await anew[1]?.kill()
    await compliant(cluster)
    await scan(cluster, 0)
    await sent(cluster)
  },
  240_000,
)

/** A cluster answers once it has a leader. */
const soon = { timeout: 60_000 }

async function prepare({ fleet }: Place): Promise<void> {
  await expect.poll(async () => (await runInProcess('fleet', 'prepare', '--fleet', fleet)).stderr, soon).toBe('')
}

async function sent(place: Place): Promise<void> {
  await expect.poll(async () => (await send(place)).code, soon).toBe(0)
}

async function compliant(place: Place): Promise<void> {
  await expect
    .poll(async () => answers(place).catch(() => undefined), soon)
    .toMatchObject([{ name: 'web01', answer: 'compliant', presence: 'reporting' }])
}
