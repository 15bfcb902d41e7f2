/**
 * Message kinds of a host: a full report, the difference from the last full report, or a heartbeat without differences.
 */
export const MESSAGE_KINDS = ['full', 'delta', 'beat'] as const

export type MessageKind = (typeof MESSAGE_KINDS)[number]

/** Key-value buckets of the storage account. */
export const BUCKETS = {
  assignments: 'ASSIGN',
  policies: 'POLICY',
  orders: 'ORDER',
  roster: 'ROSTER',
  rollouts: 'ROLLOUT',
} as const

/** Key of the rollout state; other keys hold the assignments signed for the rollout. */
export const ROLLOUT_KEY = 'state'

/** Subject of a host's messages of one kind. */
export function messageSubject(kind: MessageKind, host: string): string {
  return `dg.v1.${kind}.${host}`
}

/**
 * Maximum size of a message with its headers, in bytes; together with the message limit it bounds the storage of a
 * host.
 */
export const LARGEST_MESSAGE_BYTES: Readonly<Record<MessageKind, number>> = {
  full: 128 * 1024,
  delta: 8 * 1024,
  beat: 2560,
}

/** Subject of full reports above that size; the server keeps fewer of them. */
export function largeSubject(host: string): string {
  return `dg.v1.large.${host}`
}

/** All subjects that a host publishes to. */
export function sentSubjects(host: string): readonly string[] {
  return [...MESSAGE_KINDS.map((kind) => messageSubject(kind, host)), largeSubject(host), answerSubject(host)]
}

/** Stream of the hosts' answers to orders. */
export const ANSWERS = 'DG_ANSWER'

/** Subject of a host's answers to orders. */
export function answerSubject(host: string): string {
  return `dg.v1.answer.${host}`
}

/** Host of an answer subject; undefined for other subjects. */
export function hostOfAnswer(subject: string): string | undefined {
  const host = subject.startsWith(answerSubject('')) ? subject.slice(answerSubject('').length) : ''
  return isSafeName(host) ? host : undefined
}

/** Subject of a key-value entry. */
export function valueSubject(bucket: string, key: string): string {
  return `$KV.${bucket}.${key}`
}

/** Subject for a direct get of a value, without a consumer. */
export function valueRequestSubject(bucket: string, key: string): string {
  return `$JS.API.DIRECT.GET.KV_${bucket}.${valueSubject(bucket, key)}`
}

/** Addressee of an assignment: a ring or a host; also the key of its value. */
export type Addressee = `ring.${string}` | `host.${string}`

/** Parses an addressee; undefined if invalid. */
export function readAddressee(text: unknown): Addressee | undefined {
  const [, kind, name = ''] = typeof text === 'string' ? (/^(ring|host)\.(.*)$/s.exec(text) ?? []) : []
  if (kind === undefined || !isSafeName(name)) return undefined
  return kind === 'ring' ? `ring.${name}` : `host.${name}`
}

/** Prefix of a host's inbox subjects. */
export function inboxPrefix(host: string): string {
  return `_INBOX.${host}`
}

/** Rule for names of hosts and rings, for messages. */
export const NAME_RULE =
  'at most 63 lowercase letters, digits and hyphens, with a letter or digit at the start and the end'

/** Pattern of valid host and ring names. */
export const SAFE_NAME: RegExp = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * True if a name is valid for a host or ring. Names become part of subjects, where `.`, `*` or `>` would match the
 * subjects of other hosts.
 */
export function isSafeName(name: string): boolean {
  return SAFE_NAME.test(name)
}

export const HOSTS_ACCOUNT = 'HOSTS'

export const VIEWER_ACCOUNT = 'VIEWER'

/**
 * Prefix of the storage account's JetStream API for the viewer; `$JS.API` is the API of its own account, which stores
 * nothing.
 */
export const VIEWER_API = 'dg.v1.api'

/** Subject for the list of connections. */
export const CONNECTIONS_SUBJECT = '$SYS.REQ.SERVER.PING.CONNZ'

/** File name, next to a context, of the key that may list connections. */
export const CONNECTIONS_KEY_FILE = 'connections.nk'

/** File name, next to the operator's context file, of the viewer's public key. */
export const VIEWER_KEY_FILE = 'viewer.pub'

/** File name, next to a context file, of the public key that signs policies. */
export const POLICY_KEY_FILE = 'policy.pub'
