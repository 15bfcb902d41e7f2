import { type AddressFamily, everyValue, interfacesNamed, singleValue, type Packets, shareOf } from './packets.ts'
import { difference, type Intervals, intervalsOf } from './intervals.ts'
import type { Flow } from './evaluate.ts'
import {
  type Answer,
  ANOTHER,
  destination,
  doubtOf,
  DROPPED,
  type FilterHook,
  follow,
  interfacesOf,
  newPackets,
  NO_CHAIN,
  ownAddresses,
  PROTOCOL,
  type Question,
  source,
  WAY,
  findWorst,
} from './question.ts'

/** What the Internet has: neither networks of no use there nor multicast. @see RFC 6890 */
const INTERNET: Readonly<Record<AddressFamily, Intervals>> = {
  ip: [
    [0x01000000n, 0x7effffffn],
    [0x80000000n, 0xdfffffffn],
  ],
  ip6: [[0x2n << 124n, (0x4n << 124n) - 1n]],
}
/** Protocols whose packets are no connections: of ICMP and of groups. */
const MESSAGES = intervalsOf([1, 2, 58].map((number) => [BigInt(number), BigInt(number)]))
const CONNECTIONS: readonly Intervals[] = [
  singleValue(PROTOCOL.tcp),
  singleValue(PROTOCOL.udp),
  difference(
    difference(everyValue('protocol'), MESSAGES),
    intervalsOf([...singleValue(PROTOCOL.tcp), ...singleValue(PROTOCOL.udp)]),
  ),
]

/**
 * What becomes of packets of a new connection that are nothing special: whether most of them are accepted, by their addresses
 * and ports, at any interface and address of the machine. An interface that is trusted is not asked about.
 */
export function defaultAnswer(question: Question, hook: FilterHook, trusted: readonly string[]): Answer {
  const answers = CONNECTIONS.map((protocol) => defaultOf(question, hook, { protocol, trusted }))
  return findWorst(answers, 'accept') ?? DROPPED
}

interface Ordinary {
  readonly protocol: Intervals
  readonly trusted: readonly string[]
}

function defaultOf(question: Question, hook: FilterHook, { protocol, trusted }: Ordinary): Answer {
  const { machine, family } = question
  const names = interfacesOf(question).filter((name) => !trusted.includes(name))
  const interfaces = intervalsOf(names.flatMap((name) => interfacesNamed(name)))
  const own = ownAddresses(machine, family)
  const whole: Packets = {
    ...newPackets(family),
    protocol,
    ...(hook === 'output' ? {} : { iif: interfaces, ...source(family, INTERNET[family]) }),
    ...(hook === 'output' ? source(family, own) : {}),
    ...(hook === 'input' ? { ...destination(family, own), dsttype: singleValue(2) } : { oif: interfaces }),
    ...(hook === 'input' ? {} : { ...destination(family, INTERNET[family]), dsttype: singleValue(1) }),
  }
  const outcome = follow(question, WAY[hook], whole)
  if (outcome.kind === 'unclear') return outcome
  const fields = hook === 'forward' ? (['iif', 'oif'] as const) : ([hook === 'input' ? 'iif' : 'oif'] as const)
  const ends = hook === 'input' ? own.map((each) => destination(family, [each])) : [{}]
  const starts = hook === 'output' ? own.map((each) => source(family, [each])) : [{}]
  const answers = combinations(fields.map((field) => names.map((name) => ({ field, name })))).flatMap((places) =>
    ends
      .flatMap((end) => starts.map((start) => ({ ...end, ...start })))
      .map((part): Answer => {
        const at = Object.fromEntries(places.map(({ field, name }) => [field, interfacesNamed(name)]))
        const answer = mostOf(outcome.accepted, { ...whole, ...part, ...at })
        const named = places.map(({ name }) => name).filter((name) => name !== ANOTHER)
        return answer.kind === 'accept' && named.length > 0 ? { ...answer, at: named.join(' to ') } : answer
      }),
  )
  const found = findWorst(answers, 'accept') ?? DROPPED
  if (found.kind !== 'drop' || machine.addresses !== undefined || hook === 'forward') return found
  return ofUnknownAddresses(outcome.accepted, hook === 'input' ? 'd' : 's', whole, family) ?? found
}

/** Whether the packets would be accepted if the machine had an address that a rule names. */
function ofUnknownAddresses(
  accepted: readonly Flow[],
  end: 'd' | 's',
  whole: Packets,
  family: AddressFamily,
): Answer | undefined {
  const field = `${end}addr${family === 'ip' ? '' : '6'}` as const
  const decisive = accepted.find(({ packets }) => {
    const part = { ...whole, [field]: packets[field] ?? whole[field] }
    return mostOf(accepted, part).kind !== 'drop'
  })
  if (decisive === undefined) return undefined
  return { kind: 'unclear', by: `${decisive.by ?? NO_CHAIN}, for addresses known only on a running system` }
}

/** More than half of the packets are accepted, or would be if what is not clear accepted them. */
function mostOf(accepted: readonly Flow[], whole: Packets): Answer {
  const shares = accepted.map((flow) => ({ flow, share: shareOf(flow.packets, whole) }))
  const sum = (which: (flow: Flow) => boolean): number =>
    shares.reduce((total, { flow, share }) => (which(flow) ? total + share : total), 0)
  const largest = (which: (flow: Flow) => boolean): Flow | undefined =>
    shares.filter(({ flow }) => which(flow)).toSorted((left, right) => right.share - left.share)[0]?.flow
  const isClear = ({ certainty }: Flow): boolean => certainty === 'sure' || certainty === 'many'
  const isUnclear = ({ certainty }: Flow): boolean => certainty === 'unclear'
  if (sum(isClear) > 0.5) return { kind: 'accept', by: largest(isClear)?.by ?? NO_CHAIN }
  if (sum((flow) => isClear(flow) || isUnclear(flow)) > 0.5) return { kind: 'unclear', by: doubtOf(largest(isUnclear)) }
  return DROPPED
}

function combinations<Item>(lists: readonly (readonly Item[])[]): readonly (readonly Item[])[] {
  return lists.reduce<readonly (readonly Item[])[]>(
    (all, list) => all.flatMap((start) => list.map((each) => [...start, each])),
    [[]],
  )
}
