import { spanWords } from '../model/span-words.ts'

/** How long a place may take, in milliseconds. */
export interface RemoteLimits {
  /** Until driftgate runs there: connection, handshake, login and the exchange of versions; once more after a copy was sent. */
  readonly connectMs: number
  /** From the start to the result. */
  readonly totalMs: number
}

/** Counts the time of one place down. */
export interface Countdown {
  /** What comes of the work; where the time is over first, why: the end of a sentence about the place. */
  readonly within: <T>(work: Promise<T>) => Promise<T | TimeOver>
  /** It has answered, so the time to connect begins anew. */
  readonly answered: () => void
  /** It is connected to, so only the time for the whole counts. */
  readonly connected: () => void
  /** Must be called once. */
  readonly end: () => void
}

/** Why something is not waited for any longer. */
export class TimeOver {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

/** Starts to count. */
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
    expire(new TimeOver(`it did not come to a result within ${spanWords(totalMs)} (--timeout)`))
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
