import type { UnusablePlace } from '../source.ts'
import { type Chains, createChains } from './machines.ts'
import type { StoredMessage } from './stored-messages.ts'

/** What is kept of hosts to understand what they send next: little, since there are thousands of them. */
export interface Ledger {
  /** Of a host; of one of which nothing has come, an empty page that stays. */
  readonly of: (host: string) => Followed
  /** Whether a run came before, from the same host with the same state or otherwise. */
  readonly heard: (host: string, runId: string, sha256: string) => 'new' | 'again' | Contradiction
  /** A run has come. */
  readonly note: (host: string, runId: string, sha256: string) => void
  readonly doubt: (host: string | undefined, place: UnusablePlace) => void
  /** All that cannot be used and still means something at this time. */
  readonly doubts: (nowMs: number) => readonly UnusablePlace[]
  /** Numbers of whole reports mean nothing any more. */
  readonly forgetPlaces: () => void
}

/** A run that came before from elsewhere, or as something else. */
export interface Contradiction {
  readonly reason: string
}

/** A message by its number. */
type MessagePlace = Pick<StoredMessage, 'stream' | 'sequence'>

/** What is kept of one host. */
export interface Followed {
  /** Where its last whole reports lie. */
  readonly bases: Map<string, MessagePlace>
  /** What it was in the newest of its runs, and when that was heard of for certain. */
  state?: { readonly sha256: string; readonly atMs: number }
  /** The starts of its machine that it has named, the last one last. */
  readonly boots: string[]
  /** The messages that it has sent, by the machine that each is from. */
  readonly chains: Chains
  /** The digests of its last messages that did not fit: a host sends them again to a server that was restored. */
  readonly misfits: string[]
  /** When the last message of its own was stored. */
  goodAtMs: number
}

const MOST_BASES = 8
const MOST_BOOTS = 16
const MOST_DOUBTS = 50
/** So many runs are recognised when they come again: many times those that may come twice since an acknowledgement was lost. */
const MOST_HEARD = 100_000
const MOST_MISFITS = 16
/** A forged message is told for a day, also where its host was heard since. */
const FORGED_MS = 86_400_000

/** Makes an empty one. */
export function createLedger(): Ledger {
  const hosts = new Map<string, Followed>()
  const heardRuns = new Map<string, { readonly host: string; readonly sha256: string }>()
  const doubted = new Map<string | undefined, UnusablePlace[]>()

  function of(host: string): Followed {
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
    of,
    heard(host, runId, sha256) {
      const before = heardRuns.get(runId)
      if (before === undefined) return 'new'
      if (before.host !== host) return { reason: `run ${runId} is one of ${before.host}` }
      return before.sha256 === sha256 ? 'again' : { reason: `run ${runId} came before and said something else` }
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

/** Remembers a message that did not fit. */
export function rememberMisfit({ misfits }: Followed, digest: string): void {
  misfits.push(digest)
  if (misfits.length > MOST_MISFITS) misfits.shift()
}

/** Remembers where a whole report lies. */
export function rememberBase({ bases }: Followed, runId: string, { stream, sequence }: MessagePlace): void {
  bases.delete(runId)
  bases.set(runId, { stream, sequence })
  if (bases.size > MOST_BASES) dropFirst(bases)
}

/** A machine names a start once and never comes back to it: two that use one key do. Gives the start that came back. */
export function alternates({ boots }: Followed, bootId: string | undefined): string | undefined {
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
