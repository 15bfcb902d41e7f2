import { defined } from '../../model/defined.ts'
import type { Summary } from '../../model/run.ts'
import { readLink } from '../messages/link.ts'
import type { Machine } from '../source.ts'

/** One message of a host, as far as it tells which machine has sent it. */
export interface LinkedMessage {
  /** As `linkText` writes it. */
  readonly link: string
  /** The digest of what was signed of it. */
  readonly digest: string
  readonly runId: string
  readonly storedAtMs: number
  readonly bootId?: string
  readonly summary?: Pick<Summary, 'drifted' | 'error' | 'blocked'>
}

/** The messages of one machine: each names the one before it. */
interface Chain {
  /** The digest of its last message. */
  head: string
  /** And where that said that it stands. */
  link: string
  /** What its first message named, and the number of that message. */
  readonly begunBehind: string | null
  readonly begunAt: number
  /** When it began and went on last, in messages of the host. */
  readonly begun: number
  continued: number
  machine: Machine
}

/** Tells machines that use one key by the chains of their messages: a copy goes on from where the original was when it was copied. */
export interface Chains {
  /** Takes in a message; gives the machines that send under this name once there are several. */
  readonly follow: (message: LinkedMessage) => readonly Machine[] | undefined
  /** A run has come again, since its machine got no acknowledgement, or a copy of that has the run, too: what comes next names this message. */
  readonly repeat: (message: Pick<LinkedMessage, 'digest' | 'link' | 'runId'>) => void
}

const MOST_CHAINS = 8

/**
 * Two chains that both go on are two machines. One that goes on from an earlier place alone is one machine that was set back to a snapshot, or has
 * sent a message again whose acknowledgement was lost.
 */
export function createChains(): Chains {
  let chains: Chain[] = []
  let count = 0

  function behind(previous: string | null, about: Omit<Chain, 'begunBehind' | 'begun' | 'continued'>): Chain {
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

  /** Messages of two streams can be read in another order than they were sent: what began behind this one belongs to it. */
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
      const chain = behind(previous, { head: digest, link, begunAt: sequence, machine })
      joinLater(chain)
      const before = chain.continued
      chain.continued = count
      const others = chains.filter((each) => each !== chain && each.begun > before && each.begunAt <= sequence)
      return others.length === 0 ? undefined : [chain, ...others].map((each) => each.machine)
    },
  }
}
