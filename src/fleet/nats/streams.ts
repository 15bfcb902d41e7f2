import {
  ANSWERS,
  answerSubject,
  BUCKETS,
  largeSubject,
  LARGEST_MESSAGE_BYTES,
  messageSubject,
  valueSubject,
} from './names.ts'

const DAY_S = 86_400

/** A stream of the storage account. Durations are in seconds, sizes in bytes. */
export interface StreamPlan {
  readonly name: string
  readonly subjects: readonly string[]
  readonly maxAgeS: number
  readonly maxBytes: number
  /** Number of messages kept per subject. */
  readonly perSubject: number
  /** Maximum message size; default: the server's limit. */
  readonly largestMessage?: number
  /** True for a key-value bucket: hosts ask for the newest message of a subject. */
  readonly isBucket: boolean
}

/** Share of each stream in the server's storage, in percent. Each kind of message has a share of its own. */
const STREAMS: readonly Share[] = [
  stream('DG_FULL', [messageSubject('full', '*')], {
    days: 400,
    share: 37,
    perSubject: 500,
    ofEachHost: { largestMessage: LARGEST_MESSAGE_BYTES.full, atLeast: 4 },
  }),
  stream('DG_LARGE', [largeSubject('*')], {
    days: 400,
    share: 14,
    perSubject: 30,
    ofEachHost: { largestMessage: 'payload', atLeast: 1 },
  }),
  stream('DG_STATE', [messageSubject('delta', '*')], {
    days: 90,
    share: 13,
    perSubject: 3000,
    ofEachHost: { largestMessage: LARGEST_MESSAGE_BYTES.delta, atLeast: 16 },
  }),
  stream('DG_BEAT', [messageSubject('beat', '*')], {
    days: 90,
    share: 17,
    // A heartbeat every 15 minutes for as long: early removal would be a gap in the evidence.
    perSubject: 9000,
    ofEachHost: { largestMessage: LARGEST_MESSAGE_BYTES.beat, atLeast: 16 },
  }),
  stream('DG_AUDIT', ['dg.v1.audit.>'], { days: 7 * 365, share: 3, perSubject: -1 }),
  stream(ANSWERS, [answerSubject('*')], {
    days: 90,
    share: 2,
    perSubject: 256,
    ofEachHost: { largestMessage: 16 * 1024, atLeast: 4 },
  }),
  bucket(BUCKETS.policies, { days: 400, share: 7, perSubject: 1 }),
  bucket(BUCKETS.assignments, { days: 0, share: 3, perSubject: 64 }),
  bucket(BUCKETS.orders, { days: 7, share: 2, perSubject: 16 }),
  bucket(BUCKETS.roster, { days: 0, share: 1, perSubject: 16 }),
  bucket(BUCKETS.rollouts, { days: 400, share: 1, perSubject: 64 }),
]

interface Share extends Omit<StreamPlan, 'maxBytes' | 'largestMessage'> {
  readonly share: number
  /** `payload` is the server's maximum. */
  readonly largestMessage?: number | 'payload'
  /** Minimum number of messages kept per host, however many hosts there are; absent if hosts do not publish to it. */
  readonly atLeast?: number
}

/** Minimum number of hosts among which the storage is divided. */
export const FEWEST_HOSTS = 100

/** Overhead of JetStream per message. */
const RECORD_BYTES = 128

/** Stream replicas for a number of servers: three survive the loss of one server. */
export function replicasFor(servers: number): number {
  return servers >= 3 ? 3 : 1
}

/** Storage of a server for a fleet. */
export interface Room {
  readonly bytes: number
  /** Number of hosts that share it; at least `FEWEST_HOSTS` are assumed. */
  readonly hosts?: number
  /** Maximum message size, `max_payload`. */
  readonly payload?: number
}

const PAYLOAD_BYTES = 1024 * 1024

/**
 * All streams of a server. A host that exceeds its share evicts its own oldest messages; beyond the total, messages are
 * refused, so that the sender keeps them. Messages cannot be deleted from a stream.
 */
export function streamsFor({ bytes, hosts = FEWEST_HOSTS, payload = PAYLOAD_BYTES }: Room): readonly StreamPlan[] {
  return STREAMS.map(({ share, atLeast, largestMessage: largest, ...each }) => {
    const maxBytes = Math.floor((bytes * share) / 100)
    if (largest === undefined || atLeast === undefined) return { ...each, maxBytes }
    const largestMessage = largest === 'payload' ? payload : largest
    const fair = Math.floor(maxBytes / Math.max(hosts, FEWEST_HOSTS) / (largestMessage + RECORD_BYTES))
    return { ...each, maxBytes, largestMessage, perSubject: Math.min(each.perSubject, Math.max(atLeast, fair)) }
  })
}

/** Streams whose storage is too small for so many hosts, so that one host could displace others. */
export function findCrowdedStreams(plans: readonly StreamPlan[], hosts: number): readonly string[] {
  return plans
    .filter(({ largestMessage = 0, perSubject, maxBytes }) => perSubject * largestMessage * hosts > maxBytes)
    .map(({ name }) => name)
}

interface Retention {
  /** 0 means forever. */
  readonly days: number
  readonly share: number
  readonly perSubject: number
  readonly ofEachHost?: Required<Pick<Share, 'largestMessage' | 'atLeast'>>
}

function stream(name: string, subjects: readonly string[], { days, share, perSubject, ofEachHost }: Retention): Share {
  return { name, subjects, maxAgeS: days * DAY_S, share, perSubject, ...ofEachHost, isBucket: false }
}

function bucket(name: string, kept: Retention): Share {
  return { ...stream(`KV_${name}`, [valueSubject(name, '>')], kept), isBucket: true }
}

const DUPLICATE_WINDOW_S = 600
const NANOSECONDS = 1_000_000_000

/** Stream configuration for `$JS.API.STREAM.CREATE`. */
export function streamConfig({ name, subjects, maxAgeS, maxBytes, perSubject, largestMessage, isBucket }: StreamPlan) {
  const window = Math.min(DUPLICATE_WINDOW_S, maxAgeS === 0 ? DUPLICATE_WINDOW_S : maxAgeS)
  return {
    name,
    subjects: [...subjects],
    retention: 'limits',
    storage: 'file',
    discard: 'new',
    max_age: maxAgeS * NANOSECONDS,
    max_bytes: maxBytes,
    max_msgs_per_subject: perSubject,
    max_msg_size: largestMessage ?? -1,
    duplicate_window: window * NANOSECONDS,
    deny_delete: true,
    deny_purge: !isBucket,
    allow_direct: isBucket,
    allow_rollup_hdrs: isBucket,
  } as const
}
