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

/** A stream of the account that stores. Spans are in seconds, sizes in bytes. */
export interface StreamPlan {
  readonly name: string
  readonly subjects: readonly string[]
  readonly maxAgeS: number
  readonly maxBytes: number
  /** How many messages of one subject stay. */
  readonly perSubject: number
  /** What one message may have; absent where the server's own limit is enough. */
  readonly largestMessage?: number
  /** Whether it is a bucket: the newest message of a subject is the value of a key, which hosts ask for. */
  readonly isBucket: boolean
}

/** What part of the server's room each may take, in hundredths. Each kind of message has a share of its own. */
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
    // A beat every 15 minutes for as long: what is removed before its time is a gap in the evidence.
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
  /** `payload` is what the server takes at all. */
  readonly largestMessage?: number | 'payload'
  /** How few messages of a host stay at least, however many hosts there are; absent where no host sends to it. */
  readonly atLeast?: number
}

/** How many hosts the room is divided among where there are fewer. */
export const FEWEST_HOSTS = 100

/** What JetStream writes beside a message. */
const RECORD_BYTES = 128

/** How many copies of each stream so many servers keep: with three of them one server may be lost. */
export function replicasFor(servers: number): number {
  return servers >= 3 ? 3 : 1
}

/** What a server has for a fleet. */
export interface Room {
  readonly bytes: number
  /** How many hosts share it; `FEWEST_HOSTS` where they are fewer. */
  readonly hosts?: number
  /** What a message may have, `max_payload`. */
  readonly payload?: number
}

const PAYLOAD_BYTES = 1024 * 1024

/**
 * All that a server stores. A host that fills its share pushes out what is oldest of its own; what
 * no host has room for is refused, so that its sender keeps it. No message of a stream can be deleted.
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

/** The streams in which one host could take the room of others, since there is too little for so many. */
export function crowded(plans: readonly StreamPlan[], hosts: number): readonly string[] {
  return plans
    .filter(({ largestMessage = 0, perSubject, maxBytes }) => perSubject * largestMessage * hosts > maxBytes)
    .map(({ name }) => name)
}

interface Kept {
  /** For ever where it is 0. */
  readonly days: number
  readonly share: number
  readonly perSubject: number
  readonly ofEachHost?: Required<Pick<Share, 'largestMessage' | 'atLeast'>>
}

function stream(name: string, subjects: readonly string[], { days, share, perSubject, ofEachHost }: Kept): Share {
  return { name, subjects, maxAgeS: days * DAY_S, share, perSubject, ...ofEachHost, isBucket: false }
}

function bucket(name: string, kept: Kept): Share {
  return { ...stream(`KV_${name}`, [valueSubject(name, '>')], kept), isBucket: true }
}

const DUPLICATE_WINDOW_S = 600
const NANOSECONDS = 1_000_000_000

/** A stream as JetStream's API is asked for it, `$JS.API.STREAM.CREATE`. */
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
