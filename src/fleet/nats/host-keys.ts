import type { KeyObject } from 'node:crypto'
import type { Roster } from '../roster.ts'
import { keyOfNkey } from './nkey.ts'
import type { Keys } from './read-message.ts'

/** Public keys of the hosts in a roster, including retired ones, whose earlier messages stay valid. */
export function keysOf(roster: Roster | undefined): Keys & Required<Pick<Keys, 'othersOf'>> {
  const keys = new Map<string, KeyObject>()
  for (const { name, key } of roster?.hosts.values() ?? []) {
    const known = key === undefined ? undefined : keyOfNkey(key)
    if (known !== undefined) keys.set(name, known)
  }
  const read = (texts: readonly string[] = []): readonly KeyObject[] => texts.flatMap((key) => keyOfNkey(key) ?? [])
  const othersOf = (host: string): readonly KeyObject[] => {
    const { next, replaced = [] } = roster?.hosts.get(host) ?? {}
    return read(next === undefined ? replaced : [next, ...replaced])
  }
  const formerOf = (host: string): readonly KeyObject[] => read(roster?.hosts.get(host)?.former)
  return Object.assign(keys, { othersOf, formerOf })
}
