import process from 'node:process'
import { isAbsolute, resolve } from 'node:path'
import { systemReason } from '../../model/system-reason.ts'
import { createLocalTarget } from '../../host/live/local-target.ts'
import { readWhole } from '../../host/live/read-whole.ts'
import type { Process } from '../../subjects/processes/processes.ts'
import { SOCKETS } from '../../subjects/sockets/subject.ts'
import { PROCESSES } from '../../subjects/processes/subject.ts'

const LARGEST_BYTES = 1024 * 1024

/** Outcome of a configuration reload; `reason` is the end of a sentence. */
export type Reload =
  { readonly kind: 'reloaded' } | { readonly kind: 'elsewhere' } | { readonly kind: 'refused'; readonly reason: string }

/** Reloads the local nats-server that uses this configuration. */
export function reloadServer(config: string): Reload {
  const servers = serversWith(config)
  try {
    for (const { pid } of servers) process.kill(pid, 'SIGHUP')
  } catch (error) {
    return { kind: 'refused', reason: systemReason(error) }
  }
  return { kind: servers.length === 0 ? 'elsewhere' : 'reloaded' }
}

function serversWith(config: string): readonly Process[] {
  const listed = createLocalTarget().open(PROCESSES).list()
  if (listed.kind === 'unknown') return []
  return listed.value.processes.filter(
    ({ command, arguments: words }) =>
      command.startsWith('nats-server') && words.some((word) => isAbsolute(word) && resolve(word) === resolve(config)),
  )
}

/** Describes the listener on a local port; undefined if there is no listener or it is unknown. */
export async function listenerOn(port: number): Promise<string | undefined> {
  return (await listenersOn(port))?.shown
}

/**
 * Describes the listener on a local port, unless it is a nats-server with (a copy of) this configuration; undefined if
 * there is no other listener or it is unknown.
 */
export async function otherListenerOn(port: number, config: string): Promise<string | undefined> {
  const listening = await listenersOn(port)
  const isServer = listening?.processes.some(({ command, arguments: words }) => {
    return command.startsWith('nats-server') && words.some((word) => isSameText(word, config))
  })
  return isServer === true ? undefined : listening?.shown
}

function isSameText(path: string, config: string): boolean {
  try {
    return readWhole(path, LARGEST_BYTES).equals(readWhole(config, LARGEST_BYTES))
  } catch {
    return false
  }
}

interface Listening {
  readonly processes: readonly Process[]
  readonly shown: string
}

async function listenersOn(port: number): Promise<Listening | undefined> {
  const sockets = createLocalTarget().open(SOCKETS)
  const listening = sockets.listening(['tcp'])
  const socket = listening.kind === 'known' ? listening.value.find((each) => each.port === port) : undefined
  if (socket === undefined) return undefined
  const owner = await sockets.owner(socket)
  const processes = owner.kind === 'known' ? owner.value.processes : []
  const [first] = processes
  const place = `${socket.family === 6 ? `[${socket.address}]` : socket.address}:${port}`
  if (first === undefined) return { processes, shown: `a process hidden from this user, on ${place}` }
  const unit = first.unit.kind === 'known' && first.unit.value !== null ? `, ${first.unit.value}` : ''
  const shown = `${first.arguments.join(' ') || first.command} (process ${first.pid}${unit}), on ${place}`
  return { processes, shown }
}
