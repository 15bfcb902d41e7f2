import { OperatorError } from '../../model/operator-error.ts'
import type { Line } from '../../host/nats/line.ts'
import { enter, type Login } from './connect.ts'

/** A reconnecting connection. */
export interface LastingLine {
  /** Returns the open connection, or connects. Throws an `OperatorError` on failure. */
  readonly open: () => Promise<Line>
  /**
   * Runs work on the connection; an `OperatorError`, such as for an unreachable server, is swallowed and known state
   * stays.
   */
  readonly follow: (work: (line: Line) => Promise<void>) => Promise<void>
  readonly close: () => Promise<void>
}

/** Creates the connection lazily. Calls `begin` for each new connection. */
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
