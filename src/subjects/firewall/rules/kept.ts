import { doorAnswers, fromOutside } from './door-answers.ts'
import type { Flow } from './evaluate.ts'
import { everyValue, singleValue, type Packets, packetsWithout } from './packets.ts'
import { difference } from './intervals.ts'
import {
  destination,
  doubtOf,
  type FilterHook,
  follow,
  LOOPBACK_NETWORK,
  newPackets,
  ownAddresses,
  PROTOCOL,
  type Question,
  source,
  WAY,
} from './question.ts'
import type { Ruleset } from './ruleset.ts'

/** Port with connections that new rules must not cut off. */
export interface KeptPort {
  readonly protocol: 'tcp' | 'udp'
  readonly port: number
  /** Whether administrators use the port for ssh. */
  readonly isSsh: boolean
}

/** Ports that are or may be reachable now, by the rules of any family. */
export function reachable(questions: readonly Question[], ports: readonly KeptPort[]): readonly KeptPort[] {
  const asked = questions.flatMap((question) =>
    (['tcp', 'udp'] as const).map((protocol) => ({
      protocol,
      answer: doorAnswers(question, PROTOCOL[protocol], []),
    })),
  )
  return ports.filter(({ protocol, port }) =>
    asked.some((each) => {
      return each.protocol === protocol && each.answer({ protocol: PROTOCOL[protocol], port }).kind !== 'drop'
    }),
  )
}

/** A connection that new rules would cut off, and the rule that does it. */
export interface Cut {
  /** Absent for established connections. */
  readonly port?: KeptPort
  readonly by: string
}

/**
 * The first of the ports, or the established connections, that the rules accept now and `then` would drop. A result that may
 * depend on a rule that is not understood counts as cut off.
 */
export function firstCut(now: Question, then: Ruleset, kept: readonly KeptPort[]): Cut | undefined {
  const after: Question = { ...now, ruleset: then }
  for (const port of kept) {
    const packets = { ...fromOutside(now, PROTOCOL[port.protocol], []), dport: singleValue(port.port) }
    const by = findLoss(now, after, { hook: 'input', packets })
    if (by !== undefined) return { port, by }
  }
  for (const [hook, packets] of establishedPackets(now)) {
    const by = findLoss(now, after, { hook, packets })
    if (by !== undefined) return { by }
  }
  return undefined
}

function establishedPackets(question: Question): readonly (readonly [FilterHook, Packets])[] {
  const { family, machine } = question
  const from = fromOutside(question, PROTOCOL.tcp, [])
  const elsewhere = difference(everyValue(family === 'ip' ? 'daddr' : 'daddr6'), LOOPBACK_NETWORK[family])
  const going = {
    ...newPackets(family),
    protocol: singleValue(PROTOCOL.tcp),
    ...source(family, ownAddresses(machine, family)),
    ...destination(family, elsewhere),
  }
  const state = singleValue(1)
  return [
    ['input', { ...from, state }],
    ['output', { ...going, state }],
    ['forward', { ...from, ...destination(family, elsewhere), dsttype: singleValue(1), state }],
  ]
}

interface PacketPath {
  readonly hook: FilterHook
  readonly packets: Packets
}

function findLoss(now: Question, then: Question, { hook, packets }: PacketPath): string | undefined {
  const after = follow(then, WAY[hook], packets)
  if (after.kind === 'unclear') return after.by
  if (after.dropped.length === 0) return undefined
  const before = follow(now, WAY[hook], packets)
  if (before.kind === 'unclear') return before.by
  const flow = after.dropped.find((each) => !isWithin(each, before.dropped))
  return flow && (flow.certainty === 'unclear' ? doubtOf(flow) : (flow.by ?? 'a rule'))
}

/** Whether other flows drop all of the packets for sure, or partly by the same rule. */
function isWithin(flow: Flow, dropped: readonly Flow[]): boolean {
  const counting = dropped.filter(({ certainty, by }) => certainty === 'sure' || by === flow.by)
  return (
    counting.reduce<readonly Packets[]>(
      (rest, { packets }) => rest.flatMap((each) => packetsWithout(each, packets)),
      [flow.packets],
    ).length === 0
  )
}
