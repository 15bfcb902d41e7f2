import type { KeyObject } from 'node:crypto'
import type { Roster } from '../roster.ts'
import { keyOfNkey } from './nkey.ts'
import type { Keys } from './read-message.ts'

/** The public keys of the hosts in a roster. Hosts that are retired have signed what they sent before. */
export function keysOf(roster: Roster | undefined): Keys {
  const keys = new Map<string, KeyObject>()
  for (const { name, key } of roster?.hosts.values() ?? []) {
    const known = key === undefined ? undefined : keyOfNkey(key)
    if (known !== undefined) keys.set(name, known)
  }
  const formerOf = (host: string): readonly KeyObject[] =>
    (roster?.hosts.get(host)?.former ?? []).flatMap((key) => keyOfNkey(key) ?? [])
  return Object.assign(keys, { formerOf })
}
