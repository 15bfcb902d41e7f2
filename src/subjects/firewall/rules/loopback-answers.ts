import { everyValue, interfacesNamed, singleValue, type Packets } from './packets.ts'
import { difference, intervalsOf } from './intervals.ts'
import {
  type Answer,
  anyOf,
  destination,
  doubtOf,
  DROPPED,
  follow,
  interfacesOf,
  LOOPBACK,
  LOOPBACK_NETWORK,
  newPackets,
  NO_CHAIN,
  ownAddresses,
  PROTOCOL,
  type Question,
  source,
  WAY,
  findWorst,
} from './question.ts'

/** Whether everything that the machine sends to itself is accepted: on its way in, or on its way out. */
export function loopbackAnswer(question: Question, hook: 'input' | 'output'): Answer {
  const { family } = question
  const whole: Packets = {
    ...newPackets(family),
    [hook === 'input' ? 'iif' : 'oif']: interfacesNamed(LOOPBACK),
    ...source(family, LOOPBACK_NETWORK[family]),
    ...destination(family, LOOPBACK_NETWORK[family]),
    srctype: singleValue(2),
    dsttype: singleValue(2),
  }
  const outcome = follow(question, WAY[hook], whole)
  if (outcome.kind === 'unclear') return outcome
  const clear = outcome.dropped.find(({ certainty }) => certainty !== 'unclear')
  if (clear !== undefined) return { kind: 'drop', by: clear.by ?? NO_CHAIN }
  const [unclear] = outcome.dropped
  if (unclear !== undefined) return { kind: 'unclear', by: doubtOf(unclear) }
  return { kind: 'accept', by: outcome.accepted[0]?.by ?? NO_CHAIN }
}

/** Where clients of DHCP are answered before they have an address; rules accept that from anywhere. */
const DHCP_CLIENT = singleValue(68)

/** Whether new connections that claim to come from the machine itself, but do not, are dropped, all of them. */
export function spoofedLoopbackAnswer(question: Question): Answer {
  const { family, machine } = question
  const whole: Packets = {
    ...newPackets(family),
    iif: intervalsOf(interfacesOf(question).flatMap((name) => interfacesNamed(name))),
    ...source(family, LOOPBACK_NETWORK[family]),
    ...destination(family, ownAddresses(machine, family)),
    dsttype: singleValue(2),
  }
  const parts: readonly Packets[] = [
    { protocol: singleValue(PROTOCOL.tcp) },
    { protocol: singleValue(PROTOCOL.udp), dport: difference(everyValue('dport'), DHCP_CLIENT) },
  ]
  const answers = parts.map((part): Answer => {
    const outcome = follow(question, WAY.input, { ...whole, ...part })
    return outcome.kind === 'unclear' ? outcome : anyOf(outcome.accepted)
  })
  return findWorst(answers, 'accept') ?? DROPPED
}
