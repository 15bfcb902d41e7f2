import { put } from '../../../support/contract.ts'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { known, type Reading, unknown } from '../../../../src/model/observation.ts'
import type { SocketOwner } from '../../../../src/subjects/sockets/sockets.ts'
import { createLocalProbe } from '../../../../src/host/live/probe.ts'
import { openProcesses } from '../../../../src/subjects/processes/live/processes.ts'
import type { SocketUnit } from '../../../../src/subjects/sockets/live/owners.ts'
import { openSockets } from '../../../../src/subjects/sockets/live/sockets.ts'
import { parseSocketUnits } from '../../../../src/subjects/services/systemd/socket-units.ts'
import { needsRoot, temporaryDirectory } from '../../../support/temporary.ts'
import { runAsNobody } from '../../../support/unprivileged.ts'

const HEADING = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n'

/** As the kernel of a little-endian machine writes it. */
const line = (local: string, state: string, inode = 99) =>
  `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000   101        0 ${inode} 1 0 100 0 0 10 0\n`

const TABLES = { 'net/tcp': HEADING, 'net/udp': HEADING }

function procOf(files: Readonly<Record<string, string>>): string {
  const proc = join(temporaryDirectory(), 'proc')
  put(proc, files)
  return proc
}

function socketsOf(proc: string, units: Reading<readonly SocketUnit[]> = known([])) {
  return openSockets({ probe: createLocalProbe(), processes: openProcesses(proc), units: async () => units, proc })
}

test('only the listening state of TCP is a listening socket', () => {
  const tcp = `${HEADING}${line('0100007F:0019', '0A')}${line('0100007F:0050', '01')}${line('00000000:0016', '06')}`
  expect(socketsOf(procOf({ ...TABLES, 'net/tcp': tcp })).listening(['tcp', 'udp'])).toEqual(
    known([{ protocol: 'tcp', family: 4, address: '127.0.0.1', port: 25, takesIpv4: 'yes', uid: 101, inode: 99 }]),
  )
})

test.each([
  ['no table of IPv4', { 'net/tcp': undefined }, 'not-observable'],
  ['an empty one', { 'net/tcp': '' }, 'invalid'],
  ['a garbled line', { 'net/udp': `${HEADING}garbled\n` }, 'invalid'],
  ['a line cut off', { 'net/tcp6': `${HEADING}   0: 0000000000000000000000000000` }, 'invalid'],
])('a table that cannot be read does not mean that nothing listens: %s', (_name, change, reason) => {
  const files = Object.entries({ ...TABLES, ...change }).filter(
    (each): each is [string, string] => each[1] !== undefined,
  )
  expect(socketsOf(procOf(Object.fromEntries(files))).listening(['tcp', 'udp'])).toMatchObject({
    kind: 'unknown',
    reason,
  })
})

const SCTP = ' ENDPT     SOCK   STY SST HBKT LPORT   UID INODE LADDRS\n 0 0 2   10  9    3868     0 7 ::1 \n'

test.each([
  ['udplite', {}, known([])],
  ['sctp', {}, known([])],
  ['raw', {}, { kind: 'unknown', reason: 'not-observable' }],
  ['udplite', { 'net/tcp': undefined }, { kind: 'unknown', reason: 'not-observable' }],
  ['sctp', { 'net/tcp': undefined }, { kind: 'unknown', reason: 'not-observable' }],
  ['sctp', { 'net/sctp/eps': 'garbled\n' }, { kind: 'unknown', reason: 'invalid' }],
  ['sctp', { 'net/sctp/eps': SCTP }, { value: [{ protocol: 'sctp', address: '::1', port: 3868, takesIpv4: 'no' }] }],
  ['raw', { 'net/raw': HEADING + line('00000000:0001', '07') }, { value: [{ protocol: 'raw', port: 1 }] }],
] as const)(
  'a missing table of %s is an empty one only if the kernel lacks the protocol',
  (protocol, change, expected) => {
    const files = Object.entries({ ...TABLES, ...change }).filter(
      (each): each is [string, string] => each[1] !== undefined,
    )
    expect(socketsOf(procOf(Object.fromEntries(files))).listening([protocol])).toMatchObject(expected)
  },
)

const STATUS = 'Uid:\t0\t0\t0\t0\n'
const stat = (pid: number) => `${pid} (p${pid}) S 0 1 1 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 1`

/** Processes by their numbers, each with its control group and the socket that it has open. */
async function ownerOf(
  processes: Readonly<Record<number, readonly [cgroup: string, inode: number]>>,
  units?: Reading<readonly SocketUnit[]>,
): Promise<Reading<SocketOwner>> {
  const files = Object.entries(processes).flatMap(([pid, [cgroup]]) => [
    [`${pid}/stat`, stat(Number(pid))],
    [`${pid}/status`, STATUS],
    [`${pid}/cmdline`, ''],
    [`${pid}/cgroup`, `0::${cgroup}\n`],
  ])
  const proc = procOf({
    ...TABLES,
    ...Object.fromEntries(files),
    'net/tcp': `${HEADING}${line('00000000:0016', '0A', 99)}`,
  })
  for (const [pid, [, inode]] of Object.entries(processes)) {
    mkdirSync(join(proc, pid, 'fd'))
    symlinkSync(`socket:[${inode}]`, join(proc, pid, 'fd', '3'))
  }
  const sockets = socketsOf(proc, units)
  const listening = sockets.listening(['tcp', 'udp'])
  const [socket] = listening.kind === 'known' ? listening.value : []
  if (socket === undefined) throw new Error('nothing listens')
  return sockets.owner(socket)
}

const MANAGER = ['/init.scope', 99] as const
const SSH = [{ unit: 'ssh.socket', listens: ['[::]:22 (Stream)', '0.0.0.0:22 (Stream)'] }] as const
const pidsOf = (owner: Reading<SocketOwner>) =>
  owner.kind === 'known' ? owner.value.processes.map(({ pid }) => pid) : owner

test.each([
  ['one process', { 7: ['/system.slice/a.service', 99], 1: ['/init.scope', 5] }, [7], ['a.service']],
  ['two of one unit', { 1: ['/', 5], 7: ['/x.service', 99], 8: ['/x.service', 99] }, [7, 8], ['x.service']],
  ['the kernel itself', { 1: ['/init.scope', 5] }, [], []],
  ['systemd alone, for a unit', { 1: MANAGER }, [1], ['ssh.socket']],
  ['systemd and its service', { 1: MANAGER, 7: ['/ssh.service', 99] }, [7], ['ssh.service', 'ssh.socket']],
  ['the only process of a container', { 1: ['/docker/0a1b', 99] }, [1], []],
] as const)('the processes with an open socket: %s', async (_name, processes, pids, units) => {
  const owner = await ownerOf(processes, known(SSH))
  expect(pidsOf(owner)).toEqual(pids)
  expect(owner).toMatchObject({ value: { units: known(units) } })
})

test.each([
  ['systemd does not answer', unknown('timeout', 'no answer'), 'timeout'],
  ['systemd does not know it', known([{ unit: 'x.socket', listens: ['[::]:23 (Stream)'] }]), 'not-observable'],
] as const)('for which unit systemd keeps it is not guessed: %s', async (_name, units, reason) => {
  expect(await ownerOf({ 1: MANAGER }, units)).toMatchObject({ value: { units: { kind: 'unknown', reason } } })
})

test('the output of systemctl is parsed', () => {
  const printed =
    'Id=ssh.socket\nListen=0.0.0.0:22 (Stream)\nListen=[::]:22 (Stream)\n\nId=dbus.socket\nListen=/run/x (Stream)\n'
  expect(parseSocketUnits(printed)).toEqual([
    { unit: 'ssh.socket', listens: ['0.0.0.0:22 (Stream)', '[::]:22 (Stream)'] },
    { unit: 'dbus.socket', listens: ['/run/x (Stream)'] },
  ])
})

test.skipIf(needsRoot)('without access to the open files of root the owner is unknown (needs root)', async () => {
  const { createServer } = await import('node:net')
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const found = await runAsNobody(
    `import { createLocalTarget } from './src/host/live/local-target.ts'
     import { SOCKETS } from './src/subjects/sockets/subject.ts'
     const sockets = createLocalTarget().open(SOCKETS)
     const listening = sockets.listening(['tcp', 'udp'])
     const socket = listening.kind === 'known' ? listening.value.find(({ port }) => port === Number(process.argv[2])) : undefined
     console.log(JSON.stringify(socket === undefined ? listening : { owner: await sockets.owner(socket) }))`,
    [String(port)],
  )
  server.close()
  expect(found).toMatchObject({ owner: { kind: 'unknown', reason: 'permission-denied' } })
})
