import { spanWords } from '../model/span-words.ts'

/** Time limits of a target, in milliseconds. */
export interface RemoteLimits {
  /** Until driftgate runs there: connection, handshake, login and version exchange; restarts after a copy. */
  readonly connectMs: number
  /** From start to result. */
  readonly totalMs: number
}

/** Timeout of one target. */
export interface Countdown {
  /** Result of the work, or the reason of a timeout as the end of a sentence about the target. */
  readonly within: <T>(work: Promise<T>) => Promise<T | TimeOver>
  /** Restarts the connection timeout after an answer. */
  readonly answered: () => void
  /** Ends the connection timeout; only the total limit remains. */
  readonly connected: () => void
  /** Must be called once. */
  readonly end: () => void
}

/** Reason of a timeout. */
export class TimeOver {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

export function startCountdown({ connectMs, totalMs }: RemoteLimits): Countdown {
  let expire: (over: TimeOver) => void = () => undefined
  const expired = new Promise<TimeOver>((resolve) => {
    expire = resolve
  })
  const connecting = (): NodeJS.Timeout =>
    setTimeout(() => {
      expire(new TimeOver(`driftgate did not start there within ${spanWords(connectMs)} (--connect-timeout)`))
    }, connectMs)
  let connect = connecting()
  const total = setTimeout(() => {
    expire(new TimeOver(`it returned no result within ${spanWords(totalMs)} (--timeout)`))
  }, totalMs)
  return {
    within: (work) => Promise.race([work, expired]),
    answered() {
      clearTimeout(connect)
      connect = connecting()
    },
    connected: () => clearTimeout(connect),
    end() {
      clearTimeout(connect)
      clearTimeout(total)
    },
  }
}
