// 2,000 hosts (or AGENTS), each with its own connection, in a few processes (or AGENT_PROCESSES) against one nats-server with TLS and the configuration of a fleet:
// connecting, storing with an acknowledgement, and hearing of an assignment.
import { fork, spawn } from 'node:child_process'
import { createPublicKey } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { loadSources } from '../build/load-sources.mjs'

const HOSTS = Number(process.env.AGENTS ?? 2_000)
const PROCESSES = Number(process.env.AGENT_PROCESSES ?? 4)
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const AGENTS = join(ROOT, 'scripts/bench-agents.mjs')
/** What is loaded when a client connects is loaded at once, because the folder it lies in is thrown away. */
const SOURCES = `export const line = await import('./src/host/nats/line.ts')
  export { enter, loginOfContext } from './src/fleet/nats/connect.ts'
  export { connectionsOf } from './src/fleet/nats/connections.ts'
  export { fleetHome, makeFleet } from './src/fleet/nats/home.ts'
  export { makeKey } from './src/host/signing/keys.ts'
  export { publicNkey, seedOf } from './src/fleet/nats/nkey.ts'
  export { prepareStore } from './src/fleet/nats/prepare.ts'
  export { valueSubject } from './src/fleet/nats/names.ts'
  export { hostsConfig } from './src/fleet/nats/server-config.ts'`

/** Clock ticks of /proc, on every Linux there is. */
const TICKS_PER_SECOND = 100
const PATIENCE_MS = 60_000

export async function run({ folder, isInstalled }) {
  const what = `${HOSTS.toLocaleString('en')} agents in ${PROCESSES} processes`
  if (!isInstalled('nats-server') && !isInstalled('/usr/sbin/nats-server'))
    return [{ work: what, skipped: 'needs nats-server' }]
  const fleet = await loadSources(ROOT, SOURCES)
  const home = join(folder, 'agents')
  const port = await freePort()
  const listen = `127.0.0.1:${port}`
  fleet.makeFleet(home, {
    servers: [{ host: '127.0.0.1', port }],
    listen,
    store: join(folder, 'agents-store'),
    storeBytes: 2 ** 34,
  })
  const paths = fleet.fleetHome(home)
  const hosts = Array.from({ length: HOSTS }, (_, at) => ({ name: `web${at}`, key: fleet.makeKey() }))
  writeFileSync(paths.hosts, fleet.hostsConfig(hosts.map(({ name, key }) => ({ name, key: fleet.publicNkey(key) }))))
  const server = spawn('nats-server', ['--config', join(home, 'server/nats-server.conf')], { stdio: 'ignore' })
  const gone = once(server, 'exit')
  const login = fleet.loginOfContext(paths.context)
  const operator = await patiently(() => fleet.enter(login))
  const processes = await Promise.all(Array.from({ length: PROCESSES }, begin))
  try {
    await fleet.prepareStore(operator, { hosts: HOSTS, servers: 1 })
    const all = (work, aboutOf) => Promise.all(processes.map((tell, at) => tell(work, aboutOf?.(at))))
    const rows = []
    const measure = async (step, act) => {
      const [cpuMs, start] = [cpuOf(server.pid), performance.now()]
      await act()
      rows.push({ work: `${what}, ${step}`, measured: performance.now() - start, unit: 'ms' })
      rows.push({ work: `${what}, ${step}, CPU of the server`, measured: cpuOf(server.pid) - cpuMs, unit: 'ms' })
    }
    const namesOf = (at) =>
      hosts.filter((_, index) => index % PROCESSES === at).map(({ name, key }) => ({ name, seed: fleet.seedOf(key) }))
    await measure('connect and hear', () =>
      all('connect', (at) => ({ names: namesOf(at), url: login.url, authority: login.authority })),
    )
    rows.push(memoryRow(`${what}, connected, memory of the server`, server.pid))
    const keys = new Map(hosts.map(({ name, key }) => [name, createPublicKey(key)]))
    await measure('a view asks from where all are connected', async () => {
      const connections = fleet.connectionsOf(fleet.loginOfContext(paths.context), keys)
      const told = await connections.shared(Date.now())
      if (told.length > 0) throw new Error(told[0].reason)
      await connections.close()
    })
    await measure('all store 20 KB', () => all('store', () => ({ sizeBytes: 20_000 })))
    await measure('all store 2 KB', () => all('store', () => ({ sizeBytes: 2_000 })))
    rows.push(
      ...(await notices(what, {
        all,
        tell: () => operator.ask(fleet.valueSubject('ASSIGN', 'ring.all'), { body: '{}', timeoutMs: PATIENCE_MS }),
      })),
    )
    rows.push(memoryRow(`${what}, in the end, memory of the server`, server.pid))
    await all('close')
    return rows
  } finally {
    for (const tell of processes) tell.end()
    await operator.close()
    server.kill('SIGTERM')
    await gone
  }
}

/** How long after an assignment was sent those hear of it of whom half and 99 of 100 have heard by then. */
async function notices(what, { all, tell }) {
  const rounds = []
  for (let round = 0; round < 5; round++) {
    const start = Date.now()
    await tell()
    rounds.push(...(await all('heard')).flat().map((at) => at - start))
  }
  const sorted = rounds.toSorted((left, right) => left - right)
  return [50, 99].map((percent) => ({
    work: `${what}, ${percent} % have heard of an assignment`,
    measured: sorted[Math.floor((sorted.length * percent) / 100)],
    unit: 'ms',
  }))
}

/** A process that does one piece of work after another. */
async function begin() {
  const child = fork(AGENTS, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const answered = () =>
    new Promise((resolve, reject) => {
      child.once('message', ({ answer, error }) => (error === undefined ? resolve(answer) : reject(new Error(error))))
      child.once('disconnect', resolve)
    })
  const ready = answered()
  const tell = (work, about) => {
    const answer = answered()
    child.send({ work, about })
    return answer
  }
  await ready
  return Object.assign(tell, { end: () => child.kill('SIGKILL') })
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

async function patiently(act) {
  for (const until = Date.now() + PATIENCE_MS; ;) {
    try {
      return await act()
    } catch (error) {
      if (Date.now() > until) throw error
      await sleep(50)
    }
  }
}

function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1_000
}

function memoryRow(work, pid) {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return { work, measured: Number(kib) / 1024, unit: 'MB' }
}
