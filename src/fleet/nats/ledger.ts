import type { UnusablePlace } from '../source.ts'
import { type Chains, createChains } from './machines.ts'
import type { StoredMessage } from './stored-messages.ts'

/** State needed to interpret the next messages of hosts; small, because there are thousands of hosts. */
export interface Ledger {
  /** State of a host; an empty one is created and kept for a new host. */
  readonly of: (host: string) => Followed
  /** Whether a run arrived before, from the same host with the same state, or with another one. */
  readonly heard: (host: string, runId: string, sha256: string) => 'new' | 'again' | Contradiction
  /** Records a run. */
  readonly note: (host: string, runId: string, sha256: string) => void
  readonly doubt: (host: string | undefined, place: UnusablePlace) => void
  /** Unusable items that still matter at this time. */
  readonly doubts: (nowMs: number) => readonly UnusablePlace[]
  /** Forgets the sequence numbers of full reports. */
  readonly forgetPlaces: () => void
}

/** A known run that arrived from another host or with another content. */
export interface Contradiction {
  readonly reason: string
}

/** A message by its sequence number. */
type MessagePlace = Pick<StoredMessage, 'stream' | 'sequence'>

/** State of one host. */
export interface Followed {
  /** Locations of its last full reports. */
  readonly bases: Map<string, MessagePlace>
  /** Digest of its newest run and the time of its last reliable message. */
  state?: { readonly sha256: string; readonly atMs: number }
  /** Boot ids that it sent, newest last. */
  readonly boots: string[]
  /** Chains of its messages, by machine. */
  readonly chains: Chains
  /** Digests of its last messages that did not fit; a host resends them to a restored server. */
  readonly misfits: string[]
  /** Storage time of its last valid message. */
  goodAtMs: number
}

const MOST_BASES = 8
const MOST_BOOTS = 16
const MOST_DOUBTS = 50
/** Number of runs remembered to detect duplicates: far more than lost acknowledgements can cause. */
const MOST_HEARD = 100_000
const MOST_MISFITS = 16
/** A forged message is shown for a day, even if its host has reported since. */
const FORGED_MS = 86_400_000

/** Creates an empty ledger. */
export function createLedger(): Ledger {
  const hosts = new Map<string, Followed>()
  const heardRuns = new Map<string, { readonly host: string; readonly sha256: string }>()
  const doubted = new Map<string | undefined, UnusablePlace[]>()

  function followHost(host: string): Followed {
    const known = hosts.get(host) ?? {
      bases: new Map(),
      boots: [],
      misfits: [],
      chains: createChains(),
      goodAtMs: -Infinity,
    }
    hosts.set(host, known)
    return known
  }

  return {
    of: followHost,
    heard(host, runId, sha256) {
      const before = heardRuns.get(runId)
      if (before === undefined) return 'new'
      if (before.host !== host) return { reason: `run ${runId} belongs to ${before.host}` }
      return before.sha256 === sha256 ? 'again' : { reason: `run ${runId} was already received with different content` }
    },
    note(host, runId, sha256) {
      heardRuns.set(runId, { host, sha256 })
      if (heardRuns.size > MOST_HEARD) dropFirst(heardRuns)
    },
    doubt(host, place) {
      const known = doubted.get(host) ?? []
      doubted.set(host, [...known, place].slice(-MOST_DOUBTS))
    },
    doubts(nowMs) {
      for (const [host, places] of doubted) {
        const goodAtMs = host === undefined ? -Infinity : (hosts.get(host)?.goodAtMs ?? -Infinity)
        const left = places.filter(
          ({ storedAtMs = 0, isForged }) =>
            storedAtMs >= goodAtMs || (isForged === true && nowMs - storedAtMs < FORGED_MS),
        )
        if (left.length === 0) doubted.delete(host)
        else doubted.set(host, left)
      }
      return [...doubted.values()].flat()
    },
    forgetPlaces() {
      for (const { bases } of hosts.values()) bases.clear()
    },
  }
}

/** Records a message that did not fit. */
export function rememberMisfit({ misfits }: Followed, digest: string): void {
  misfits.push(digest)
  if (misfits.length > MOST_MISFITS) misfits.shift()
}

/** Records the location of a full report. */
export function rememberBase({ bases }: Followed, runId: string, { stream, sequence }: MessagePlace): void {
  bases.delete(runId)
  bases.set(runId, { stream, sequence })
  if (bases.size > MOST_BASES) dropFirst(bases)
}

/** Detects two machines with one key: a machine never returns to an earlier boot id. Returns the other boot id. */
export function findAlternatingBoot({ boots }: Followed, bootId: string | undefined): string | undefined {
  if (bootId === undefined || boots.at(-1) === bootId) return undefined
  const at = boots.indexOf(bootId)
  if (at !== -1) boots.splice(at, 1)
  const other = boots.at(-1)
  boots.push(bootId)
  if (boots.length > MOST_BOOTS) boots.shift()
  return at === -1 ? undefined : other
}

function dropFirst(map: Map<string, unknown>): void {
  const [first] = map.keys()
  if (first !== undefined) map.delete(first)
}
