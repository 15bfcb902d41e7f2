// Sockets that are no TCP and no UDP, against ss(8) and against what a program that made them knows of them.
import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findSystemProgram } from '../../../../src/host/live/system-programs.ts'
import { bundle } from '../../../support/bundle.ts'
import { cases } from '../../../support/soak.ts'
import { needsRoot } from '../../../support/temporary.ts'

const missing = ['ss', 'ip', 'unshare', 'python3'].find((name) => findSystemProgram(name) === undefined)
const hasUdpLite = spawnSync('python3', ['-c', 'import socket; socket.socket(2, 2, 136)']).status === 0
const skipped = needsRoot ?? (missing === undefined ? undefined : `needs ${missing}`)

const wanted = fc.record({
  protocol: fc.constantFrom('raw', 'udplite'),
  where: fc.constantFrom('0.0.0.0', '127.0.0.1', '10.9.8.7', '::', '::', '::1', 'fd00:9::7'),
  number: fc.integer({ min: 2, max: 254 }),
  isConnected: fc.boolean(),
  v6only: fc.boolean(),
})

const SHOW = `
  import { known } from './src/model/observation.ts'
  import { createLocalProbe } from './src/host/live/probe.ts'
  import { openProcesses } from './src/subjects/processes/live/processes.ts'
  import { openSockets } from './src/subjects/sockets/live/sockets.ts'
  const sockets = openSockets({ probe: createLocalProbe(), processes: openProcesses(), units: async () => known([]) })
  const listening = sockets.listening(['raw', 'udplite'])
  if (listening.kind === 'unknown') throw new Error(listening.detail)
  const lines = listening.value.map(async (socket) => {
    const { protocol, family, address, port, inode, takesIpv4 } = socket
    const owner = await sockets.owner(socket)
    const owners = owner.kind === 'known' ? owner.value.processes.map(({ command }) => command) : owner.detail
    const host = family === 6 ? '[' + address + ']' : address
    return { protocol, line: protocol + ' ' + host + ':' + port + ' ino:' + inode, owners, takesIpv4, family }
  })
  console.log(JSON.stringify(await Promise.all(lines)))
`

interface Shown {
  readonly protocol: string
  readonly line: string
  readonly owners: unknown
  readonly takesIpv4: string
  readonly family: number
}

test.skipIf(skipped)(
  `the same raw sockets as ss shows, and those of UDP-Lite that were made (${skipped ?? 'root'})`,
  async () => {
    const all = fc.sample(wanted, { numRuns: cases({ usual: 500, soak: 2_000 }), seed: 15 })
    const sockets = all
      .filter(({ protocol }) => hasUdpLite || protocol === 'raw')
      .map(({ protocol, where, number, isConnected, v6only }, index) => ({
        protocol,
        family: where.includes(':') ? 6 : 4,
        address: where,
        // Every port once; many sockets may take the packets of one protocol.
        number: protocol === 'raw' ? number : 2000 + index,
        // What is bound to another address than that of loopback reaches no peer there.
        connected: isConnected && /^(?:0\.0\.0\.0|127.*|::1?)$/.test(where),
        v6only,
      }))
    const program = await bundle(SHOW)
    const setUp =
      'ip link set lo up && ip addr add 10.9.8.7/24 dev lo && ip addr add fd00:9::7/64 dev lo nodad && exec "$@"'
    const script = join(import.meta.dirname, '../../../support/raw-sockets.py')
    const argv = ['--net', 'sh', '-ec', setUp, 'sh', 'python3', script, process.execPath, program.file]
    const printed = execFileSync('unshare', argv, { encoding: 'utf8', input: JSON.stringify(sockets) })
    program.remove()
    const { printed: ours, ss, made } = JSON.parse(printed) as { printed: string; ss: string; made: string[] }
    const shown = JSON.parse(ours) as Shown[]
    const lines = shown.map(({ line }) => line).toSorted()
    expect(lines).toEqual(made.toSorted())
    // Of raw sockets ss shows no inodes.
    const raw = shown.filter(({ protocol }) => protocol === 'raw')
    expect(raw.map(({ line }) => line.replace(/ ino:.*/, '')).toSorted()).toEqual(shownBySs(ss))
    expect(raw.length).toBeGreaterThan(sockets.length / 5)
    expect(shown.filter(({ owners }) => JSON.stringify(owners) !== '["python3"]')).toEqual([])
    expect(raw.filter(({ family, takesIpv4 }) => (family === 4) !== (takesIpv4 === 'yes'))).toEqual([])
  },
)

/** State, two queues, the local and the peer's address; an asterisk is `::`. */
function shownBySs(listing: string): readonly string[] {
  return listing
    .split('\n')
    .filter((line) => line !== '')
    .map((row) => {
      const [, , , local = ''] = row.trim().split(/\s+/)
      const host = local.slice(0, local.lastIndexOf(':')).replace(/^\*$/, '[::]')
      return `raw ${host}:${local.slice(local.lastIndexOf(':') + 1)}`
    })
    .toSorted()
}
