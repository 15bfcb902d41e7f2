import type { ServerResponse } from 'node:http'
import type { Resident } from '../../resident.ts'
import { type Exchange, HEADERS } from './respond.ts'

/** Maximum number of connected pages. */
const MOST_READERS = 200

/** Buffer limit at which a slow reader is disconnected. */
const MOST_WAITING_BYTES = 64 * 1024

/** Keep-alive interval, so that neither side takes a quiet connection for dead. */
const ALIVE_MS = 15_000

/** Notifies pages of changes; they fetch the content themselves. */
export interface Events {
  /** Subscribes a client; false if the limit is reached. */
  readonly add: (exchange: Exchange) => boolean
  readonly end: () => void
}

export function openEvents(resident: Resident): Events {
  const readers = new Set<ServerResponse>()

  function broadcast(text: string): void {
    for (const reader of readers) {
      if (reader.writableLength > MOST_WAITING_BYTES) reader.destroy()
      else reader.write(text)
    }
  }

  const alive = setInterval(() => broadcast(': alive\n\n'), ALIVE_MS)
  alive.unref()
  let stop: (() => void) | undefined
  return {
    add: ({ request, response }) => {
      if (readers.size >= MOST_READERS) return false
      response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream; charset=utf-8' })
      if (request.method === 'HEAD') {
        response.end()
        return true
      }
      stop ??= resident.onChange(() => broadcast(`id: ${resident.view()?.version ?? 0}\nevent: change\ndata: \n\n`))
      readers.add(response)
      response.on('close', () => {
        readers.delete(response)
        if (readers.size > 0) return
        stop?.()
        stop = undefined
      })
      response.write('retry: 2000\n\n')
      return true
    },
    end: () => {
      clearInterval(alive)
      stop?.()
      for (const reader of readers) reader.end()
    },
  }
}
