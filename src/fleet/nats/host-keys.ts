import type { KeyObject } from 'node:crypto'
import type { Roster } from '../roster.ts'
import { keyOfNkey } from './nkey.ts'

/** The public keys of the hosts in a roster. Hosts that are retired have signed what they sent before. */
export function keysOf(roster: Roster | undefined): ReadonlyMap<string, KeyObject> {
  const keys = new Map<string, KeyObject>()
  for (const { name, key } of roster?.hosts.values() ?? []) {
    const known = key === undefined ? undefined : keyOfNkey(key)
    if (known !== undefined) keys.set(name, known)
  }
  return keys
}
