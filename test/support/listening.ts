/** Runs in a network namespace of its own: makes sockets, and prints what is seen of them beside what ss shows. */
import { execFileSync, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { createServer, type Server } from 'node:net'
import process from 'node:process'
import { openProcesses } from '../../src/subjects/processes/live/processes.ts'
import { createLocalProbe } from '../../src/host/live/probe.ts'
import { openSockets } from '../../src/subjects/sockets/live/sockets.ts'
import type { ListeningSocket } from '../../src/subjects/sockets/sockets.ts'
import { known } from '../../src/model/observation.ts'
import { numbersFrom } from './numbers.ts'

const PER_ROUND = 60

interface Made {
  readonly close: () => Promise<unknown>
}

interface Wanted {
  readonly protocol: 'tcp' | 'udp'
  readonly host: string
  readonly port: number
  readonly isV6Only: boolean
  /** A second process holds it, too. */
  readonly isShared: boolean
  /** A UDP socket with a single peer accepts no other sender. */
  readonly isConnected: boolean
}

const HOSTS = [
  '0.0.0.0',
  '127.0.0.1',
  '127.9.9.9',
  '10.9.8.7',
  '::',
  '::',
  '::1',
  'fd00:9::7',
  '::ffff:127.0.0.1',
  '::ffff:10.9.8.7',
  '::ffff:0.0.0.0',
] as const

/** Makes so many sockets in rounds of sixty, and prints both listings of each round as JSON. */
export async function showListening(sockets: number, seed: number): Promise<void> {
  const next = numbersFrom(seed)
  const rounds: { readonly ours: readonly string[]; readonly theirs: readonly string[] }[] = []
  let made = 0
  while (made < sockets) {
    const round: Made[] = []
    while (round.length < PER_ROUND && made < sockets) {
      // Every port by one socket or two, which differ in what they take.
      const port = 2000 + made
      const protocol = next() < 0.6 ? 'tcp' : 'udp'
      const host = HOSTS[Math.floor(next() * HOSTS.length)] ?? '::'
      const isConnected = protocol === 'udp' && host === '127.0.0.1' && next() < 0.5
      const isPair = host === '::' && next() < 0.4
      const wanted = {
        protocol,
        host,
        port,
        isV6Only: isPair || (/^(?:::1?|fd.*)$/.test(host) && next() < 0.3),
        isShared: next() < 0.05,
        isConnected,
      } as const
      round.push(await make(wanted))
      made++
      if (isPair) round.push(await make({ ...wanted, host: '0.0.0.0', isV6Only: false, isShared: false }))
    }
    rounds.push({ ours: await seen(), theirs: shownBySs() })
    await Promise.all(round.map(({ close }) => close()))
  }
  process.stdout.write(JSON.stringify({ rounds, made }))
}

function make(wanted: Wanted): Promise<Made> {
  return wanted.protocol === 'tcp' ? makeServer(wanted) : makeReceiver(wanted)
}

function makeServer({ host, port, isV6Only, isShared }: Wanted): Promise<Made> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ host, port, ipv6Only: isV6Only }, () => {
      const stop = isShared ? share(server) : () => undefined
      resolve({ close: () => Promise.all([stop(), new Promise((done) => server.close(done))]) })
    })
  })
}

/** Another process that has the socket open, until it is stopped. */
function share(server: Server): () => Promise<unknown> {
  const { fd } = (server as unknown as { readonly _handle: { readonly fd: number } })._handle
  const child = spawn('sleep', ['60'], { stdio: ['ignore', 'ignore', 'ignore', fd] })
  return () =>
    new Promise((done) => {
      child.once('exit', done)
      child.kill('SIGKILL')
    })
}

function makeReceiver({ host, port, isV6Only, isConnected }: Wanted): Promise<Made> {
  return new Promise((resolve, reject) => {
    const socket = createSocket({ type: host.includes(':') ? 'udp6' : 'udp4', ipv6Only: isV6Only })
    const close = (): Promise<unknown> => new Promise((done) => socket.close(() => done(undefined)))
    socket.once('error', reject)
    socket.bind({ address: host, port, exclusive: true }, () => {
      if (!isConnected) resolve({ close })
      else socket.connect(9, '127.0.0.1', () => resolve({ close }))
    })
  })
}

async function seen(): Promise<readonly string[]> {
  const processes = openProcesses()
  const units = async () => known([])
  const sockets = openSockets({ probe: createLocalProbe(), processes, units })
  const listening = sockets.listening(['tcp', 'udp'])
  if (listening.kind === 'unknown') throw new Error(listening.detail)
  const lines = listening.value.map(async (socket) => {
    const owner = await sockets.owner(socket)
    if (owner.kind === 'unknown') throw new Error(owner.detail)
    const pids = owner.value.processes.map(({ pid }) => pid).toSorted((left, right) => left - right)
    return lineOf(socket, pids.join(','))
  })
  return (await Promise.all(lines)).toSorted()
}

function lineOf({ protocol, family, address, port, inode, takesIpv4 }: ListeningSocket, pids: string): string {
  const host = family === 6 ? `[${address}]` : address
  return `${protocol} ${host}:${port} ino:${inode} ${ipv4Of(address, takesIpv4)} pids:${pids}`
}

/** Only of one at `::` does the kernel keep to itself whether it takes IPv4; not, where another at 0.0.0.0 has the port. */
function ipv4Of(address: string, takesIpv4: ListeningSocket['takesIpv4']): string {
  if (takesIpv4 === 'unknown') return address === '::' ? 'either' : 'not known'
  return `ipv4:${takesIpv4}`
}

/** Netid, state, two queues, the local and the peer's address, then `users:(("node",pid=1,fd=2))` and the rest of -e. */
function shownBySs(): readonly string[] {
  const printed = execFileSync('ss', ['-H', '-tulnpeO'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const rows = printed
    .trim()
    .split('\n')
    .filter((line) => line !== '')
  const hosts = new Set(rows.map((row) => row.split(/\s+/)).map(([netid, , , , local]) => `${netid} ${local}`))
  return rows
    .map((row) => {
      const [netid, , , , local = ''] = row.split(/\s+/)
      const inode = /ino:(\d+)/.exec(row)?.[1]
      const pids = new Set([...row.matchAll(/pid=(\d+)/g)].map(([, pid]) => Number(pid)))
      const port = local.slice(local.lastIndexOf(':') + 1)
      const isOnlyIpv6 = row.includes('v6only:1')
      // An asterisk is what ss prints for `::` of a socket that takes both.
      const host = local.slice(0, local.lastIndexOf(':')).replace(/^\*$/, '[::]')
      const isAll = host === '[::]'
      const ipv4 =
        isAll && !hosts.has(`${netid} 0.0.0.0:${port}`)
          ? 'either'
          : `ipv4:${!host.startsWith('[') || (host.startsWith('[::ffff:') && !isOnlyIpv6) ? 'yes' : 'no'}`
      const list = [...pids].toSorted((left, right) => left - right).join(',')
      return `${netid} ${host}:${port} ino:${inode} ${ipv4} pids:${list}`
    })
    .toSorted()
}
