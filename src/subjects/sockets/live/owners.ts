import { readlinkSync } from 'node:fs'
import { known, type Reading, type Unknown, unknown } from '../../../model/observation.ts'
import type { Process, Processes } from '../../processes/processes.ts'
import type { ListeningSocket, SocketOwner } from '../sockets.ts'
import { listNames } from '../../../host/live/list-directory.ts'
import { listPids, meansEnded } from '../../processes/live/processes.ts'
import { unreadable } from '../../../host/live/system-error.ts'

export interface SocketUnit {
  readonly unit: string
  /** As in the output of systemd, `[::]:22 (Stream)`. */
  readonly listens: readonly string[]
}

/** Reads all socket units that the service manager has loaded. */
export type SocketUnitReader = () => Promise<Reading<readonly SocketUnit[]>>

interface OwnersReader {
  readonly proc: string
  readonly processes: Processes
  readonly units: SocketUnitReader
}

/** The open sockets by process. */
interface Holders {
  readonly pids: ReadonlyMap<number, readonly number[]>
  readonly unseen?: Unknown
}

/** Opens the socket owners, with one scan of all processes. */
export function openSocketOwners(reader: OwnersReader): {
  readonly of: (socket: ListeningSocket) => Promise<Reading<SocketOwner>>
} {
  let holders: Reading<Holders> | undefined
  let units: Promise<Reading<readonly SocketUnit[]>> | undefined
  return {
    async of(socket) {
      holders ??= readHolders(reader.proc)
      const list = reader.processes.list()
      if (holders.kind === 'unknown') return holders
      if (list.kind === 'unknown') return list
      const pids = holders.value.pids.get(socket.inode) ?? []
      const found = list.value.processes.filter(({ pid }) => pids.includes(pid))
      if (found.length < pids.length || found.length === 0) {
        const unseen = holders.value.unseen ?? list.value.unseen
        if (unseen !== undefined) return unseen
        if (found.length < pids.length) return unknown('not-observable', `the owner of ${nameOf(socket)} kept changing`)
      }
      const manager = found.find(isManager)
      if (manager === undefined) return known({ processes: found, units: unitsOf(found) })
      const others = found.filter((each) => each !== manager)
      const kept = await (units ??= reader.units())
      return known({ processes: others.length === 0 ? [manager] : others, units: keptFor(socket, others, kept) })
    },
  }
}

/** A service manager holds sockets for other units. */
function isManager({ pid, unit }: Process): boolean {
  return pid === 1 && unit.kind === 'known' && unit.value === 'init.scope'
}

function unitsOf(processes: readonly Process[], more: readonly string[] = []): Reading<readonly string[]> {
  const units = new Set(more)
  for (const { unit } of processes) {
    if (unit.kind === 'unknown') return unit
    if (unit.value !== null) units.add(unit.value)
  }
  return known([...units].toSorted())
}

function keptFor(
  socket: ListeningSocket,
  others: readonly Process[],
  units: Reading<readonly SocketUnit[]>,
): Reading<readonly string[]> {
  if (units.kind === 'unknown') return units
  const wanted = shownBySystemd(socket)
  const names = units.value
    .filter(({ listens }) => listens.some((each) => wanted.includes(each)))
    .map(({ unit }) => unit)
  if (names.length > 0) return unitsOf(others, names)
  return unknown('not-observable', `systemd holds ${nameOf(socket)} open but lists no socket unit for it`)
}

/** The socket in the notation of systemd; without IPv6, systemd uses an IPv4 socket for all addresses. */
function shownBySystemd({ protocol, family, address, port }: ListeningSocket): readonly string[] {
  const kind = protocol === 'tcp' || protocol === 'sctp' ? 'Stream' : 'Datagram'
  const hosts = family === 6 ? [`[${address}]`] : address === '0.0.0.0' ? [address, '[::]'] : [address]
  return hosts.map((host) => `${host}:${port} (${kind})`)
}

function nameOf({ protocol, family, address, port }: ListeningSocket): string {
  return `${protocol} ${family === 6 ? `[${address}]` : address}:${port}`
}

function readHolders(proc: string): Reading<Holders> {
  const pids = listPids(proc)
  if (pids.kind === 'unknown') return pids
  const holders = new Map<number, number[]>()
  let unseen: Unknown | undefined
  for (const pid of pids.value) {
    const sockets = socketsOf(`${proc}/${pid}/fd`)
    if ('kind' in sockets) unseen ??= sockets
    else for (const inode of sockets) holders.set(inode, [...(holders.get(inode) ?? []), pid])
  }
  return known(unseen === undefined ? { pids: holders } : { pids: holders, unseen })
}

/** The open sockets of a process; empty if it has ended. */
function socketsOf(directory: string): ReadonlySet<number> | Unknown {
  const inodes = new Set<number>()
  try {
    for (const name of listNames(directory)) {
      const inode = /^socket:\[(\d+)\]$/.exec(targetOf(`${directory}/${name}`))?.[1]
      if (inode !== undefined) inodes.add(Number(inode))
    }
    return inodes
  } catch (error) {
    return meansEnded(error) ? inodes : unreadable(error, directory)
  }
}

/** Target of a descriptor link; empty if it was closed meanwhile. */
function targetOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch (error) {
    if (meansEnded(error)) return ''
    throw error
  }
}
