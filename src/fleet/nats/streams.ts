import { ANSWERS, answerSubject, BUCKETS, messageSubject, valueSubject } from './names.ts'

const DAY_S = 86_400

/** A stream of the account that stores. Spans are in seconds, sizes in bytes. */
export interface StreamPlan {
  readonly name: string
  readonly subjects: readonly string[]
  readonly maxAgeS: number
  readonly maxBytes: number
  /** How many messages of one subject stay. */
  readonly perSubject: number
  /** Whether it is a bucket: the newest message of a subject is the value of a key, which hosts ask for. */
  readonly isBucket: boolean
}

/** What part of the server's room each may take, in hundredths. */
const STREAMS: readonly (Omit<StreamPlan, 'maxBytes'> & { readonly share: number })[] = [
  stream('DG_FULL', [messageSubject('full', '*')], { days: 400, share: 50, perSubject: 500 }),
  stream('DG_STATE', [messageSubject('delta', '*'), messageSubject('beat', '*')], {
    days: 90,
    share: 25,
    // A beat every 15 minutes for as long: what is removed before its time is a gap in the evidence.
    perSubject: 9000,
  }),
  stream('DG_AUDIT', ['dg.v1.audit.>'], { days: 7 * 365, share: 5, perSubject: -1 }),
  stream(ANSWERS, [answerSubject('*')], { days: 90, share: 1, perSubject: 256 }),
  bucket(BUCKETS.policies, { days: 400, share: 10, perSubject: 1 }),
  bucket(BUCKETS.assignments, { days: 0, share: 4, perSubject: 64 }),
  bucket(BUCKETS.orders, { days: 7, share: 2, perSubject: 16 }),
  bucket(BUCKETS.roster, { days: 0, share: 2, perSubject: 16 }),
  bucket(BUCKETS.rollouts, { days: 400, share: 1, perSubject: 64 }),
]

/**
 * All that a server stores that has so much room. What does not fit any more is refused, never put in the place of what is older:
 * whoever sends then knows it, and keeps what it has. Nothing of it can be deleted by anybody.
 */
export function streamsFor(bytes: number): readonly StreamPlan[] {
  return STREAMS.map(({ share, ...each }) => ({ ...each, maxBytes: Math.floor((bytes * share) / 100) }))
}

interface Kept {
  /** For ever where it is 0. */
  readonly days: number
  readonly share: number
  readonly perSubject: number
}

function stream(
  name: string,
  subjects: readonly string[],
  { days, share, perSubject }: Kept,
): (typeof STREAMS)[number] {
  return { name, subjects, maxAgeS: days * DAY_S, share, perSubject, isBucket: false }
}

function bucket(name: string, kept: Kept): (typeof STREAMS)[number] {
  return { ...stream(`KV_${name}`, [valueSubject(name, '>')], kept), isBucket: true }
}

const DUPLICATE_WINDOW_S = 600
const NANOSECONDS = 1_000_000_000

/** A stream as JetStream's API is asked for it, `$JS.API.STREAM.CREATE`. */
export function streamConfig({ name, subjects, maxAgeS, maxBytes, perSubject, isBucket }: StreamPlan) {
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
    duplicate_window: window * NANOSECONDS,
    deny_delete: true,
    deny_purge: !isBucket,
    allow_direct: isBucket,
    allow_rollup_hdrs: isBucket,
  } as const
}
