/** What a host sends: whole reports, what differs from the last whole one, and that nothing does. */
export const MESSAGE_KINDS = ['full', 'delta', 'beat'] as const

/** One of them. */
export type MessageKind = (typeof MESSAGE_KINDS)[number]

/** The buckets of the account that stores. */
export const BUCKETS = {
  assignments: 'ASSIGN',
  policies: 'POLICY',
  orders: 'ORDER',
  roster: 'ROSTER',
  rollouts: 'ROLLOUT',
} as const

/** The key of how far the rollout is; under the others lies what was signed for it beforehand. */
export const ROLLOUT_KEY = 'state'

/** The subject of a host's messages of one kind. */
export function messageSubject(kind: MessageKind, host: string): string {
  return `dg.v1.${kind}.${host}`
}

/** What a message of a kind may have with its headers, in bytes: with the number of messages that stay it bounds the room of a host. */
export const LARGEST_MESSAGE_BYTES: Readonly<Record<MessageKind, number>> = {
  full: 128 * 1024,
  delta: 8 * 1024,
  beat: 2560,
}

/** The subject of whole reports that are larger than that; fewer of them stay. */
export function largeSubject(host: string): string {
  return `dg.v1.large.${host}`
}

/** All subjects that a host sends to. */
export function sentSubjects(host: string): readonly string[] {
  return [...MESSAGE_KINDS.map((kind) => messageSubject(kind, host)), largeSubject(host), answerSubject(host)]
}

/** The stream of what hosts say of orders. */
export const ANSWERS = 'DG_ANSWER'

/** The subject of what a host says of orders. */
export function answerSubject(host: string): string {
  return `dg.v1.answer.${host}`
}

/** Whose such a subject is; undefined for another one. */
export function hostOfAnswer(subject: string): string | undefined {
  const host = subject.startsWith(answerSubject('')) ? subject.slice(answerSubject('').length) : ''
  return isSafeName(host) ? host : undefined
}

/** The subject that holds the value of a key of a bucket. */
export function valueSubject(bucket: string, key: string): string {
  return `$KV.${bucket}.${key}`
}

/** The subject at which the server gives the value of a key without any consumer. */
export function valueRequestSubject(bucket: string, key: string): string {
  return `$JS.API.DIRECT.GET.KV_${bucket}.${valueSubject(bucket, key)}`
}

/** Whom an assignment is for: a ring of hosts, or one host; the key of its value, too. */
export type Addressee = `ring.${string}` | `host.${string}`

/** The addressee that a text means; undefined where it means none. */
export function readAddressee(text: unknown): Addressee | undefined {
  const [, kind, name = ''] = typeof text === 'string' ? (/^(ring|host)\.(.*)$/s.exec(text) ?? []) : []
  if (kind === undefined || !isSafeName(name)) return undefined
  return kind === 'ring' ? `ring.${name}` : `host.${name}`
}

/** What begins the subjects of answers to a host. */
export function inboxPrefix(host: string): string {
  return `_INBOX.${host}`
}

/** What a name of a host or a ring is, in words. */
export const NAME_RULE =
  'small letters, digits and hyphens, at most 63 of them, with a letter or digit at the begin and the end'

/** Such a name. */
export const SAFE_NAME: RegExp = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Whether a name can be that of a host or a ring: it becomes a part of subjects, where a dot, an asterisk or a greater-than sign
 * would give the holder of the name the subjects of others.
 */
export function isSafeName(name: string): boolean {
  return SAFE_NAME.test(name)
}

/** The account that hosts are in. */
export const HOSTS_ACCOUNT = 'HOSTS'

/** The account of the viewer. */
export const VIEWER_ACCOUNT = 'VIEWER'

/** Where JetStream's API of the account that stores is for the viewer: `$JS.API` means that of its own account, which stores nothing. */
export const VIEWER_API = 'dg.v1.api'

/** Where a server tells its connections. */
export const CONNECTIONS_SUBJECT = '$SYS.REQ.SERVER.PING.CONNZ'

/** What the key is called that may ask for them, beside a context. */
export const CONNECTIONS_KEY_FILE = 'connections.nk'

/** What the public half of a viewer's key is called where the operator's context file is. */
export const VIEWER_KEY_FILE = 'viewer.pub'

/** What the public half of the key that signs policies is called beside a context file. */
export const POLICY_KEY_FILE = 'policy.pub'
