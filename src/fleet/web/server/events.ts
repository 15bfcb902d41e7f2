import type { ServerResponse } from 'node:http'
import type { Resident } from '../../resident.ts'
import { type Exchange, HEADERS } from './respond.ts'

/** How many pages are told of changes at once. */
const MOST_READERS = 200

/** What has not been taken by then is not taken. */
const MOST_WAITING_BYTES = 64 * 1024

/** A sign of life, so that neither side takes a quiet fleet for a dead connection. */
const ALIVE_MS = 15_000

/** Tells pages that something has changed; they fetch themselves what. */
export interface Events {
  /** Tells the one who asks from now on; false where there is no room. */
  readonly add: (exchange: Exchange) => boolean
  readonly end: () => void
}

/** Starts without listeners. */
export function openEvents(resident: Resident): Events {
  const readers = new Set<ServerResponse>()

  function tell(text: string): void {
    for (const reader of readers) {
      if (reader.writableLength > MOST_WAITING_BYTES) reader.destroy()
      else reader.write(text)
    }
  }

  const alive = setInterval(() => tell(': alive\n\n'), ALIVE_MS)
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
      stop ??= resident.onChange(() => tell(`id: ${resident.view()?.version ?? 0}\nevent: change\ndata: \n\n`))
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
