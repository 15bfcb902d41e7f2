import { defined } from '../../model/defined.ts'
import type { Summary } from '../../model/run.ts'
import { readLink } from '../messages/link.ts'
import type { Machine } from '../source.ts'

/** A message of a host, reduced to the data that identifies its machine. */
export interface LinkedMessage {
  /** Link text, as written by `linkText`. */
  readonly link: string
  /** Digest of its signed content. */
  readonly digest: string
  readonly runId: string
  readonly storedAtMs: number
  readonly bootId?: string
  readonly summary?: Pick<Summary, 'drifted' | 'error' | 'blocked'>
}

/** Messages of one machine, each linked to the previous one. */
interface Chain {
  /** Digest of its last message. */
  head: string
  /** Link of its last message. */
  link: string
  /** Link of its first message, and its number. */
  readonly begunBehind: string | null
  readonly begunAt: number
  /** Number of its first and last message among those of the host. */
  readonly begun: number
  continued: number
  machine: Machine
}

/**
 * Detects machines that share a key by their message chains: a clone continues from the message at which it was copied.
 */
export interface Chains {
  /** Adds a message; returns the machines under this name once there are several. */
  readonly follow: (message: LinkedMessage) => readonly Machine[] | undefined
  /**
   * Records a repeated run: its machine got no acknowledgement, or a clone also has the run. The next message links to
   * this one.
   */
  readonly repeat: (message: Pick<LinkedMessage, 'digest' | 'link' | 'runId'>) => void
}

const MOST_CHAINS = 8

/**
 * Two chains that both continue are two machines. A single chain that continues from an earlier message is one machine
 * that was reset to a snapshot, or that repeated an unacknowledged message.
 */
export function createChains(): Chains {
  let chains: Chain[] = []
  let count = 0

  function findOrBeginChain(previous: string | null, about: Omit<Chain, 'begunBehind' | 'begun' | 'continued'>): Chain {
    const known = previous === null ? undefined : chains.find(({ head }) => head === previous)
    if (known === undefined) {
      const chain = { ...about, begunBehind: previous, begun: count, continued: count }
      chains = [...chains, chain].slice(-MOST_CHAINS)
      return chain
    }
    known.head = about.head
    known.link = about.link
    known.machine = { ...known.machine, ...about.machine }
    return known
  }

  /** Streams can be read out of order: joins a chain that continues from this one. */
  function joinLater(chain: Chain): void {
    const later = chains.find((each) => each !== chain && each.begunBehind === chain.head)
    if (later === undefined) return
    chains = chains.filter((each) => each !== later)
    chain.head = later.head
    chain.link = later.link
    chain.machine = later.machine
    joinLater(chain)
  }

  return {
    repeat({ digest, link, runId }) {
      const previous = readLink(link)?.previous
      const isResent = (chain: Chain): boolean => chain.machine.runId === runId && chain.link === link
      const chain = chains.find((each) => isResent(each) || each.head === previous)
      if (chain !== undefined) chain.head = digest
    },
    follow({ link, digest, runId, storedAtMs, bootId, summary }) {
      const read = readLink(link)
      if (read === undefined) return undefined
      count++
      const { sequence, previous } = read
      const counts = summary && { drifted: summary.drifted, undecided: summary.error + summary.blocked }
      const machine: Machine = { runId, heardAtMs: storedAtMs, ...defined({ bootId }), ...counts }
      const chain = findOrBeginChain(previous, { head: digest, link, begunAt: sequence, machine })
      joinLater(chain)
      const before = chain.continued
      chain.continued = count
      const others = chains.filter((each) => each !== chain && each.begun > before && each.begunAt <= sequence)
      return others.length === 0 ? undefined : [chain, ...others].map((each) => each.machine)
    },
  }
}
