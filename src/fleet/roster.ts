import { whyNoDay } from '../model/calendar.ts'
import { defined } from '../model/defined.ts'
import { parseDuration } from '../model/duration.ts'
import type { Result } from '../model/problem.ts'
import { checkKeys, labelsOf, type Reading, readForm, addProblem } from '../policy/document/form.ts'
import { entriesOf, type TreeMap, type TreeMember, type TreeNode } from '../policy/document/tree.ts'
import { isSafeName, NAME_RULE } from './nats/names.ts'
import { keyOfNkey } from './nats/nkey.ts'

/** Expected hosts and their reporting intervals. */
export interface Roster {
  readonly hosts: ReadonlyMap<string, RosterHost>
  /** Default reporting interval in milliseconds; undefined if not set. */
  readonly intervalMs?: number
  /** Policies with another reporting interval than their host, in milliseconds, or retired. */
  readonly policies: ReadonlyMap<string, number | 'retired'>
}

/** An expected host. */
export interface RosterHost {
  readonly name: string
  /** In milliseconds. */
  readonly intervalMs?: number
  readonly labels: Readonly<Record<string, string>>
  /** Date of retirement, `YYYY-MM-DD`: the host is no longer expected. */
  readonly retired?: string
  /** Date of revocation, `YYYY-MM-DD`: the key is no longer accepted. */
  readonly revoked?: string
  /** Reason of the retirement or revocation. */
  readonly reason?: string
  /** Public key for connections, `U…`. */
  readonly key?: string
  /** Next key during a rotation: both are accepted until the host uses it. */
  readonly next?: string
  /** Replaced keys: their signatures stay valid, but they cannot connect. */
  readonly replaced?: readonly string[]
  /** Revoked keys: their signatures are invalid. */
  readonly former?: readonly string[]
  /** Ring whose assignments apply. */
  readonly ring?: string
}

const ROSTER_KEYS = ['interval', 'policies', 'hosts'] as const
const HOST_KEYS = [
  'name',
  'interval',
  'labels',
  'retired',
  'revoked',
  'reason',
  'ring',
  'key',
  'next',
  'replaced',
  'former',
] as const

/** Reads a roster in YAML or JSON. Reports all errors with their positions. */
export function readRoster(file: string, text: string): Result<Roster> {
  return readForm({ file, text, what: 'roster' }, rosterOf)
}

function rosterOf(root: TreeNode, reading: Reading): Roster {
  const hosts = new Map<string, RosterHost>()
  if (root.kind !== 'map') {
    addProblem(reading, root, 'a roster must be a map with the key "hosts"')
    return { hosts, policies: new Map() }
  }
  checkKeys(root, ROSTER_KEYS, reading)
  const list = root.entries.get('hosts')?.value
  if (list?.kind !== 'list') addProblem(reading, list ?? root, 'hosts must be a list: the hosts that should report')
  for (const node of list?.kind === 'list' ? list.items : []) {
    const host = hostOf(node, reading)
    if (host === undefined) continue
    if (hosts.has(host.name)) addProblem(reading, node, `host "${host.name}" is already in the roster`)
    hosts.set(host.name, host)
  }
  const policies = policiesOf(root.entries.get('policies'), reading)
  return { hosts, policies, ...defined({ intervalMs: intervalOf(root.entries.get('interval'), reading) }) }
}

function policiesOf(member: TreeMember | undefined, reading: Reading): Roster['policies'] {
  if (member !== undefined && member.value.kind !== 'map') {
    addProblem(reading, member.value, 'policies must be a map from their ids to intervals such as 1d, or to "retired"')
  }
  const policies = new Map<string, number | 'retired'>()
  for (const [id, each] of entriesOf(member?.value)) {
    const isRetired = each.value.kind === 'scalar' && each.value.text === 'retired'
    const interval = isRetired ? 'retired' : intervalOf(each, reading)
    if (interval !== undefined) policies.set(id, interval)
  }
  return policies
}

function hostOf(node: TreeNode, reading: Reading): RosterHost | undefined {
  if (node.kind === 'scalar' && typeof node.value === 'string' && node.text !== '')
    return { name: node.text, labels: {} }
  const name = node.kind === 'map' ? node.entries.get('name')?.value : undefined
  if (node.kind !== 'map' || name?.kind !== 'scalar' || name.value === null || name.text === '') {
    addProblem(reading, node, 'a host must be a name, or a map with "name"')
    return undefined
  }
  checkKeys(node, HOST_KEYS, reading)
  const intervalMs = intervalOf(node.entries.get('interval'), reading)
  const retired = dayOf(node, 'retired', reading)
  const revoked = dayOf(node, 'revoked', reading)
  const reason = memberOf(node.entries.get('reason'), isSentence, { reading, what: 'reason must be a string' })
  const ring = memberOf(node.entries.get('ring'), isSafeName, { reading, what: `ring must be ${NAME_RULE}` })
  const key = memberOf(node.entries.get('key'), isNkey, {
    reading,
    what: 'key must be the public key that its host made',
  })
  const next = memberOf(node.entries.get('next'), isNkey, {
    reading,
    what: 'next must be the public key that replaces the key',
  })
  const replaced = keysOf(node, 'replaced', reading)
  const former = keysOf(node, 'former', reading)
  const labels = labelsOf(node.entries.get('labels'), reading)
  const keys = { key, next, replaced, former }
  return { name: name.text, labels, ...defined({ intervalMs, retired, revoked, reason, ring, ...keys }) }
}

function keysOf({ entries }: TreeMap, member: 'replaced' | 'former', reading: Reading): readonly string[] | undefined {
  const list = entries.get(member)?.value
  if (list === undefined) return undefined
  const items = list.kind === 'list' ? list.items : [list]
  const keys = items.flatMap((item) => (item.kind === 'scalar' && isNkey(item.text) ? [item.text] : []))
  if (list.kind === 'list' && keys.length === items.length) return keys
  addProblem(reading, list, `${member} must be a list of the public keys that the host had before`)
  return undefined
}

function isSentence(text: string): boolean {
  return text.trim() !== ''
}

function isNkey(text: string): boolean {
  return keyOfNkey(text) !== undefined
}

interface Expected {
  readonly reading: Reading
  readonly what: string
}

function memberOf(
  member: TreeMember | undefined,
  isRight: (text: string) => boolean,
  { reading, what }: Expected,
): string | undefined {
  if (member === undefined) return undefined
  const { value } = member
  if (value.kind === 'scalar' && isRight(value.text)) return value.text
  addProblem(reading, value, what)
  return undefined
}

function intervalOf(member: TreeMember | undefined, reading: Reading): number | undefined {
  if (member === undefined) return undefined
  const { value } = member
  const milliseconds = value.kind === 'scalar' ? parseDuration(value.text) : undefined
  if (milliseconds !== undefined && milliseconds > 0) return milliseconds
  addProblem(reading, value, 'interval must be a duration such as 15m, 1h or 1d')
  return undefined
}

/** Meaning of the dates, for messages. */
const LEFT = {
  retired: 'retired must be the date since when the host is not expected',
  revoked: 'revoked must be the date since when the key of the host is not valid',
} as const

function dayOf(node: TreeMap, key: keyof typeof LEFT, reading: Reading): string | undefined {
  const member = node.entries.get(key)
  if (member === undefined) return undefined
  const { value } = member
  const text = value.kind === 'scalar' ? value.text : ''
  const problem = whyNoDay(text)
  if (problem === undefined) return text
  addProblem(reading, value, `${LEFT[key]}: ${problem}`)
  return undefined
}
