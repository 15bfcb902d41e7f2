import { countOf } from '../../model/count-of.ts'
import type { MessageLink } from '../messages/link.ts'
import type { MessageKind } from '../nats/names.ts'

/** A signed message with its position in the chain. */
export interface ChainedMessage extends MessageLink {
  readonly digest: string
  readonly kind: MessageKind
  readonly runId: string
  readonly sentAt: string
}

/** Errors of a chain, and gaps in its proof. */
export interface ChainFindings {
  readonly wrong: readonly string[]
  readonly unproved: readonly string[]
}

/** Minimum age of a message that the server no longer has: 90 days, minus the silence between two messages. */
const KEPT_MS = 80 * 86_400_000

/**
 * Checks for gaps, in any order of the messages: each links to the previous one, and each full report to the previous
 * full report, since servers keep these longer.
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
    else wrong.push(describeGap(lower + 1, sequence - 1))
  }
  return { wrong, unproved: [...(expired > 0 ? [expiredWords(expired)] : []), ...forks(sorted)] }
}

/** Sorts by the time of sending, according to the host. */
export function inOrder<Message extends Pick<ChainedMessage, 'sentAt' | 'sequence'>>(
  messages: readonly Message[],
): readonly Message[] {
  return messages.toSorted((a, b) => Date.parse(a.sentAt) - Date.parse(b.sentAt) || a.sequence - b.sequence)
}

function expiredWords(count: number): string {
  const are = count === 1 ? 'is' : 'are'
  return `${countOf(count, 'message')} between the whole reports that come first ${are} not in the bundle: servers keep those for 90 days`
}

function describeGap(from: number, to: number): string {
  if (from > to) return `message ${to + 1} does not follow this message ${to}: one of them was replaced`
  return from === to ? `message ${from} is missing` : `messages ${from} to ${to} are missing`
}

/**
 * A message without acknowledgement is resent with the same number, and nothing follows the first copy. A larger fork
 * means that the host lost its send state, or another host has its key.
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
        ? 'the host restarted at message 1: its last messages before the restart may be missing'
        : `the host continued more than once from message ${(several[0]?.sequence ?? 1) - 1}: it lost its state, or its key was copied`,
    )
  }
  return found
}
