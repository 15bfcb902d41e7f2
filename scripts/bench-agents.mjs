// Hosts of a fleet in one process, for the bench: each has its own connection, and does what it is told to in one message after another.
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { loadSources } from './build/load-sources.mjs'

/** What is loaded when a client connects is loaded at once, because the folder it lies in is thrown away. */
const SOURCES = `export const line = await import('./src/host/nats/line.ts')
  export { linkBehind, linkText } from './src/fleet/messages/link.ts'
  export { enter } from './src/fleet/nats/connect.ts'
  export { inboxPrefix, valueRequestSubject, valueSubject } from './src/fleet/nats/names.ts'
  export { keyOfSeed } from './src/fleet/nats/nkey.ts'
  export { post } from './src/fleet/nats/post.ts'`
const PATIENCE_MS = 60_000
/** Who takes longer than two seconds to encrypt is put out by the server, and all of them at once would. */
const AT_ONCE = 10
/** Hosts report at random times: more at once than this wait for each other in this process, and not at the server. */
const STORED_AT_ONCE = 500

const fleet = await loadSources(fileURLToPath(new URL('..', import.meta.url)), SOURCES)
const hosts = []
/** What each has sent is kept by it, as agents do. */
const kept = mkdtempSync(join(tmpdir(), 'driftgate-agents-'))
process.once('exit', () => rmSync(kept, { recursive: true, force: true }))
let heard = []

const WORK = {
  /** Connects, hears of assignments, and asks once what there is, as an agent does. */
  async connect({ names, url, authority }) {
    const enter = async ({ name, seed }) => {
      const line = await patiently({ url, seed, authority, inboxPrefix: fleet.inboxPrefix(name) })
      line.hear(fleet.valueSubject('ASSIGN', 'ring.all'), () => heard.push(Date.now()))
      await line.last(fleet.valueRequestSubject('ASSIGN', 'ring.all'), PATIENCE_MS)
      return { line, host: name, key: fleet.keyOfSeed(seed), state: join(kept, name) }
    }
    for (let at = 0; at < names.length; at += AT_ONCE)
      hosts.push(...(await Promise.all(names.slice(at, at + AT_ONCE).map(enter))))
  },
  /** Stores a report of so many bytes for each, and waits until the server has all. */
  async store({ sizeBytes }) {
    const body = randomBytes(sizeBytes)
    const link = fleet.linkText(fleet.linkBehind(undefined, 'full'))
    const about = { kind: 'full', schema: 'driftgate.report/v1', sha256: '0'.repeat(64), link, body }
    for (let at = 0; at < hosts.length; at += STORED_AT_ONCE) {
      const some = hosts.slice(at, at + STORED_AT_ONCE)
      const posted = await Promise.all(some.map((host) => fleet.post(host, { ...about, runId: randomUUID() })))
      if (posted.some(({ kind }) => kind !== 'stored'))
        throw new Error(`${sizeBytes} bytes are too many for the server`)
    }
  },
  /** Gives the times at which each has heard since it was last asked. */
  async heard() {
    while (heard.length < hosts.length) await new Promise((resolve) => setTimeout(resolve, 10))
    const times = heard
    heard = []
    return times
  },
  async close() {
    await Promise.all(hosts.map(({ line }) => line.close()))
    process.disconnect()
  },
}

/** As an agent: a client that was refused tries again. */
async function patiently(login) {
  for (const until = Date.now() + PATIENCE_MS; ;) {
    try {
      return await fleet.enter(login)
    } catch (error) {
      if (Date.now() > until) throw error
    }
  }
}

async function obey({ work, about }) {
  try {
    const answer = await WORK[work](about)
    if (process.connected) process.send({ answer })
  } catch (error) {
    process.send({ error: String(error) })
  }
}

process.on('message', (told) => void obey(told))
process.send({ answer: 'ready' })
