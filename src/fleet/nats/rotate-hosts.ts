import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { countOf } from '../../model/count-of.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import type { Line } from '../../host/nats/line.ts'
import { readPrivateKey } from '../../host/signing/keys.ts'
import { replaceFile } from '../../host/live/own-file.ts'
import { rosterIn } from '../load-roster.ts'
import type { RosterHost } from '../roster.ts'
import { fleetHome } from './home.ts'
import { keysOf } from './host-keys.ts'
import { changeMembers, isMember, ownersOf, type RosterChange, writeHosts } from './members.ts'
import { announcedKey } from './next-key.ts'
import { publicNkey } from './nkey.ts'
import { tellHosts } from './notice.ts'
import { asOperator } from './operator.ts'
import { type Keys, openMessage, type Opened } from './read-message.ts'
import { lastMessages } from './stored-messages.ts'

/** Progress of the host key rotation, by host name. */
export interface HostRotation {
  /** Told now to create a key. */
  readonly told: readonly string[]
  /** Announced a new key, which the server accepts in addition after a reload. */
  readonly admitted: readonly string[]
  /** Reported with the new key, so that the former one is no longer accepted. */
  readonly replaced: readonly string[]
  /** Not finished yet. */
  readonly behind: readonly string[]
  /** True after the last step. */
  readonly isOver: boolean
}

export interface HostRotationSettings {
  readonly author: string
  /** True if the remaining hosts keep their current key. */
  readonly leavesHosts: boolean
}

/**
 * Rotates the keys of all hosts, each at its own pace: a host creates and announces a key, the server accepts both, the
 * host switches, and the former key ends. Each call advances every host as far as possible. Throws an `OperatorError`.
 */
export async function rotateHosts(directory: string, settings: HostRotationSettings): Promise<HostRotation> {
  const home = fleetHome(directory)
  try {
    return await asOperator(directory, async ({ line, note }) => {
      const say = (text: string): Promise<void> =>
        note({ act: 'rotate', author: settings.author, about: 'hosts', text })
      const policyKey = readPrivateKey(home.policyKey)
      if (!existsSync(home.hostRotation)) {
        const told = [...rosterIn(home.roster).hosts.values()].filter(isMember).map(({ name }) => name)
        await tellHosts(line, [policyKey], { hostKeys: randomUUID() })
        await say(`asked ${countOf(told.length, 'host')} to create new keys`)
        keep(home.hostRotation, told)
        return { told, admitted: [], replaced: [], behind: [], isOver: told.length === 0 }
      }
      const { admitted, replaced, behind } = await advance(directory, line)
      if (admitted.length > 0) await say(`accepted the new keys of ${admitted.join(', ')} besides the former ones`)
      if (replaced.length > 0) await say(`revoked the former keys of ${replaced.join(', ')}`)
      const isOver = settings.leavesHosts || (behind.length === 0 && admitted.length === 0)
      if (isOver) await tellHosts(line, [policyKey], { hostKeys: undefined })
      if (isOver) rmSync(home.hostRotation)
      else keep(home.hostRotation, [...admitted, ...behind])
      return { told: [], admitted, replaced, behind, isOver }
    })
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`cannot replace the keys of hosts: ${systemReason(error)}`, { cause: error })
  }
}

function keep(path: string, hosts: readonly string[]): void {
  replaceFile(path, hosts.map((name) => `${name}\n`).join(''), { mode: 0o600 })
}

/** Advances the remaining hosts. */
async function advance(directory: string, line: Line): Promise<Pick<HostRotation, 'admitted' | 'replaced' | 'behind'>> {
  const home = fleetHome(directory)
  const roster = rosterIn(home.roster)
  const keys = keysOf(roster)
  const owners = ownersOf(roster.hosts)
  const changes = new Map<string, RosterChange>()
  const steps = { admitted: [] as string[], replaced: [] as string[], behind: [] as string[] }
  for (const name of readFileSync(home.hostRotation, 'utf8').split('\n')) {
    const host = roster.hosts.get(name)
    if (host === undefined || !isMember(host)) continue
    const { step, values } = stepOf(host, await newestOf(line, name, keys), owners)
    steps[step].push(name)
    if (values !== undefined) changes.set(name, { values })
  }
  if (changes.size > 0) {
    changeMembers(home.roster, changes)
    writeHosts(directory)
  }
  return steps
}

interface Newest extends Opened {
  /** Announced next key of the host; empty without one. */
  readonly announcement: string
}

function stepOf(
  { name, key, next, replaced = [] }: RosterHost,
  newest: Newest | undefined,
  owners: Map<string, string>,
): { readonly step: 'admitted' | 'replaced' | 'behind'; readonly values?: RosterChange['values'] } {
  if (key === undefined || newest === undefined) return { step: 'behind' }
  if (next !== undefined && publicNkey(newest.key) === next)
    return { step: 'replaced', values: { key: next, next: undefined, replaced: [...replaced, key] } }
  const announced = announcedKey(newest.announcement, name, newest.key)
  if (announced === undefined || announced === next || owners.has(announced)) return { step: 'behind' }
  owners.set(announced, name)
  return { step: 'admitted', values: { next: announced } }
}

async function newestOf(line: Line, host: string, keys: Keys): Promise<Newest | undefined> {
  let newest: Newest | undefined
  for (const stored of await lastMessages(line, host)) {
    const opened = openMessage(stored, keys)
    if ('reason' in opened || opened.sentAtMs < (newest?.sentAtMs ?? -Infinity)) continue
    newest = { ...opened, announcement: stored.announcement }
  }
  return newest
}
