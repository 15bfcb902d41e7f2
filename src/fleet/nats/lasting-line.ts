import { OperatorError } from '../../model/operator-error.ts'
import type { Line } from '../../host/nats/line.ts'
import { enter, type Login } from './connect.ts'

/** A connection for a client that comes back to a server again and again. */
export interface LastingLine {
  /** The line: made when it is asked for first, and again after it was lost. Throws an `OperatorError` where it cannot be. */
  readonly open: () => Promise<Line>
  /** Works on it; where that ends with an `OperatorError`, since the server is away for example, what was known before stays known. */
  readonly follow: (work: (line: Line) => Promise<void>) => Promise<void>
  readonly close: () => Promise<void>
}

/** Connects to nothing yet. `begin` is called with each line that is made. */
export function lastingLine(login: Login, begin?: (line: Line) => void): LastingLine {
  let line: Line | undefined

  async function open(): Promise<Line> {
    if (line !== undefined && !line.isClosed()) return line
    line = await enter(login)
    begin?.(line)
    return line
  }

  return {
    open,
    async follow(work) {
      try {
        await work(await open())
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error
      }
    },
    close: async () => line?.close(),
  }
}
