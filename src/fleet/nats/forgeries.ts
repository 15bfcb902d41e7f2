import { OperatorError } from '../../model/operator-error.ts'
import { type Key, namedKey } from '../../host/signing/keys.ts'
import type { UnusablePlace } from '../source.ts'
import { FORGERY_ACT, writeAudit } from './audit.ts'
import type { Login } from './connect.ts'
import { lastingLine } from './lasting-line.ts'
import { keyOfSeed } from './nkey.ts'

/** Notes in the audit stream that something on a server is not from the host whose name it has. */
export interface ForgeryRecord {
  /** Notes what it has not noted yet, of each host once a day. Throws an `OperatorError` where the server does not take it. */
  readonly note: (unusable: readonly UnusablePlace[]) => Promise<void>
  readonly close: () => Promise<void>
}

const AUTHOR = 'viewer'

/**
 * A record that is signed by the key which a server is entered with. Entries that several write, or one that was started again, have the same
 * id, and count once. Of one host there is one a day, so that no client can fill the stream, which keeps seven years.
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
        const text = `not believed, and not used: ${place}: ${reason}`
        await writeAudit(await open(), signingKey(login), { act: FORGERY_ACT, author: AUTHOR, about, text }, id)
        noted.add(id)
      }
    },
    close,
  }
}

/** The key of a connection signs what is done over it. Throws an `OperatorError` where it can sign nothing. */
export function signingKey({ url, seed }: Login): Key {
  const key = keyOfSeed(seed)
  if (key === undefined)
    throw new OperatorError(`the key that ${url} is entered with is no seed of a user: "SU" and 56 letters`)
  return namedKey(key)
}
