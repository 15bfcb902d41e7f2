import type { KeyObject } from 'node:crypto'
import { OperatorError } from '../../core/operator-error.ts'
import type { Line } from '../../nats/line.ts'
import { parseReport } from '../../stored/read-report.ts'
import { heardRun } from '../heard-run.ts'
import type { HeardRun, Listener, Source, UnusablePlace } from '../source.ts'
import { enter, type Login } from './connect.ts'
import { isSigned, readSubject } from './message.ts'
import { messageSubject } from './names.ts'
import { type StoredMessage, storedMessages, storedRange } from './stored-messages.ts'

type Keys = ReadonlyMap<string, KeyObject>

/**
 * The reports that hosts have sent to a server. Only what the key of its host has signed counts; whatever else is there is told, since
 * somebody has put it there. Connects when it is asked first, and again after the server was away.
 */
export function natsSource(login: Login, keys: Keys): Source {
  const heard = new Set<string>()
  const unusable: UnusablePlace[] = []
  let next = 1
  let open: Line | undefined
  let hint: (() => void) | undefined

  async function connected(): Promise<Line> {
    if (open !== undefined && !open.isClosed()) return open
    open = await enter(login)
    open.hear(messageSubject('full', '*'), () => hint?.())
    return open
  }

  async function news({ add }: Listener, _where: unknown, signal?: AbortSignal): Promise<readonly UnusablePlace[]> {
    const line = await connected()
    const { first, last } = await storedRange(line)
    // A server that has lost what it stored begins to count anew.
    next = last + 1 < next ? first : Math.max(next, first)
    for await (const stored of storedMessages(line, next, last)) {
      if (signal?.aborted === true) break
      const read = await readMessage(stored, keys)
      if ('reason' in read) unusable.push(notUsed(stored, read.reason))
      // A message whose acknowledgement was lost was sent again.
      else if (!heard.has(read.run.runId)) add(read.run)
      if ('run' in read) heard.add(read.run.runId)
      next = stored.sequence + 1
    }
    return [...unusable]
  }

  return {
    name: login.url,
    news,
    watch(tell) {
      hint = tell
      return () => {
        hint = undefined
      }
    },
    close: async () => open?.close(),
  }
}

function notUsed({ subject, place, storedAtMs }: StoredMessage, reason: string): UnusablePlace {
  const host = readSubject(subject)?.host
  return { place, reason, storedAtMs, hosts: host === undefined ? [] : [host] }
}

type Read = { readonly run: HeardRun } | { readonly reason: string }

async function readMessage(
  { subject, run: runId = '', signature = '', ...stored }: StoredMessage,
  keys: Keys,
): Promise<Read> {
  const about = readSubject(subject)
  if (about === undefined) return { reason: 'its subject is none of a host' }
  const key = keys.get(about.host)
  if (key === undefined) return { reason: `the roster has no key of ${about.host}` }
  const { body, place, storedAtMs } = stored
  if (!isSigned({ ...about, runId, body }, signature, key))
    return { reason: `it is not signed by the key of ${about.host}` }
  try {
    const run = await parseReport(body, place)
    if (run.run.id !== runId) return { reason: `it is signed as run ${runId} and holds run ${run.run.id}` }
    // The key says whose report it is; what the host calls itself is its own affair.
    return { run: { ...heardRun(run, { place, storedAtMs }), host: about.host } }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return { reason: error.message }
  }
}
