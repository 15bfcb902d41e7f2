import { countOf } from '../../model/count-of.ts'
import type { MessageLink } from '../messages/link.ts'
import type { MessageKind } from '../nats/names.ts'

/** A message that its host has signed, with where it stands among the others. */
export interface ChainedMessage extends MessageLink {
  readonly digest: string
  readonly kind: MessageKind
  readonly runId: string
  readonly sentAt: string
}

/** What is wrong with the order of messages, and what it does not prove. */
export interface ChainFindings {
  readonly wrong: readonly string[]
  readonly unproved: readonly string[]
}

/** A message that a server has for no longer was sent so long ago at least; 90 days, but for what a silent host left between two. */
const KEPT_MS = 80 * 86_400_000

/**
 * Whether messages follow each other without a gap, in any order: each names the one before it, and each
 * whole report the whole report before it, since servers keep these for longer than what lies between them.
 */
export function checkChain(messages: readonly ChainedMessage[], nowMs: number): ChainFindings {
  const byDigest = new Map(messages.map((message) => [message.digest, message]))
  const sorted = inOrder(messages)
  const firstSmall = sorted.findIndex(({ kind }) => kind !== 'full')
  const wrong: string[] = []
  const begins = sorted.filter(({ previous }) => previous === null || !byDigest.has(previous))
  let expired = 0
  for (const message of begins.slice(1)) {
    const { previous, previousFull, sequence, kind, sentAt } = message
    if (previous === null) continue
    const at = sorted.indexOf(message)
    const lower = sorted
      .slice(0, at)
      .reduce((most, each) => (each.sequence < sequence ? Math.max(most, each.sequence) : most), 0)
    const isOld = nowMs - Date.parse(sentAt) > KEPT_MS && (firstSmall === -1 || at <= firstSmall)
    if (isOld && (kind !== 'full' || byDigest.has(previousFull ?? ''))) expired += sequence - lower - 1
    else wrong.push(gap(lower + 1, sequence - 1))
  }
  return { wrong, unproved: [...(expired > 0 ? [expiredWords(expired)] : []), ...forks(sorted)] }
}

/** By when they were sent, as their host says it. */
export function inOrder<Message extends Pick<ChainedMessage, 'sentAt' | 'sequence'>>(
  messages: readonly Message[],
): readonly Message[] {
  return messages.toSorted((a, b) => Date.parse(a.sentAt) - Date.parse(b.sentAt) || a.sequence - b.sequence)
}

function expiredWords(count: number): string {
  const are = count === 1 ? 'is' : 'are'
  return `${countOf(count, 'message')} between the whole reports that come first ${are} not in the bundle: servers keep those for 90 days`
}

function gap(from: number, to: number): string {
  if (from > to) return `message ${to + 1} does not follow this message ${to}: one of them was replaced`
  return from === to ? `message ${from} is missing` : `messages ${from} to ${to} are missing`
}

/**
 * A message whose acknowledgement was lost is sent again with the same number, and nothing is sent behind the first copy. Where more than
 * that stands beside the chain, the host has forgotten what it sent, or another host has its key.
 */
function forks(sorted: readonly ChainedMessage[]): readonly string[] {
  const behind = new Map<string, ChainedMessage[]>()
  for (const message of sorted) {
    const before = message.previous ?? ''
    behind.set(before, [...(behind.get(before) ?? []), message])
  }
  const counts = new Map<string, number>()
  for (const { runId } of sorted) counts.set(runId, (counts.get(runId) ?? 0) + 1)
  const found: string[] = []
  for (const [before, several] of behind) {
    if (several.length < 2) continue
    const goneOn = several.filter(({ digest }) => behind.has(digest))
    const main = goneOn.at(-1) ?? several.at(-1)
    const beside = several.filter((each) => each !== main)
    if (beside.every(({ digest, runId }) => !behind.has(digest) && (counts.get(runId) ?? 0) > 1)) continue
    found.push(
      before === ''
        ? 'the host began more than once with message 1: what it sent last before it began anew may be missing'
        : `the host continued more than once from message ${(several[0]?.sequence ?? 1) - 1}: it lost its state, or its key was copied`,
    )
  }
  return found
}
