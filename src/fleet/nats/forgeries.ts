import { OperatorError } from '../../model/operator-error.ts'
import { type Key, namedKey } from '../../host/signing/keys.ts'
import type { UnusablePlace } from '../source.ts'
import { FORGERY_ACT, writeAudit } from './audit.ts'
import type { Login } from './connect.ts'
import { lastingLine } from './lasting-line.ts'
import { keyOfSeed } from './nkey.ts'

/** Records forged items on a server in the activity log. */
export interface ForgeryRecord {
  /** Records new forgeries, once per host and day. Throws an `OperatorError` if the server rejects an entry. */
  readonly note: (unusable: readonly UnusablePlace[]) => Promise<void>
  readonly close: () => Promise<void>
}

const AUTHOR = 'viewer'

/**
 * Signs entries with the key of the connection. Entries of concurrent or restarted processes have the same id and count
 * once. At most one entry per host and day, so that no client can fill the stream, which keeps seven years.
 */
export function forgeryRecord(login: Login): ForgeryRecord {
  const noted = new Set<string>()
  const { open, close } = lastingLine(login)
  return {
    async note(unusable) {
      for (const { isForged, hosts, place, reason, storedAtMs } of unusable) {
        if (isForged !== true || storedAtMs === undefined) continue
        const about = hosts.join(' ')
        const id = `${FORGERY_ACT} ${about} ${new Date(storedAtMs).toISOString().slice(0, 10)}`
        if (noted.has(id)) continue
        const text = `not trusted and ignored: ${place}: ${reason}`
        await writeAudit(await open(), signingKey(login), { act: FORGERY_ACT, author: AUTHOR, about, text }, id)
        noted.add(id)
      }
    },
    close,
  }
}

/** The connection key, which also signs acts. Throws an `OperatorError` if it cannot sign. */
export function signingKey({ url, seed }: Login): Key {
  const key = keyOfSeed(seed)
  if (key === undefined) throw new OperatorError(`the key for ${url} is not a user seed: "SU" and 56 letters`)
  return namedKey(key)
}
