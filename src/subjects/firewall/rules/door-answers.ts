import { commonPackets, everyValue, interfacesNamed, singleValue, type Packets } from './packets.ts'
import { difference, intervalsOf } from './intervals.ts'
import type { Flow } from './evaluate.ts'
import {
  type Answer,
  anyOf,
  destination,
  follow,
  interfacesOf,
  LOOPBACK_NETWORK,
  newPackets,
  knownAddresses,
  ownAddresses,
  type Question,
  source,
  WAY,
} from './question.ts'

/** Where a client can connect to. */
export interface Door {
  readonly protocol: number
  readonly port: number
  /** Undefined where it is every address of the machine. */
  readonly address?: bigint
}

/** Asks about doors of the machine, each time whether any new connection from outside is let through to it. */
export function doorAnswers(question: Question, protocol: number, trusted: readonly string[]): (door: Door) => Answer {
  const { family, machine } = question
  const outcome = follow(question, WAY.input, fromOutside(question, protocol, trusted))
  const own = knownAddresses(machine, family)
  return ({ port, address }) => {
    if (outcome.kind === 'unclear') return outcome
    const to = { dport: singleValue(port), ...(address === undefined ? {} : destination(family, singleValue(address))) }
    const through = outcome.accepted.filter((flow) => {
      const isElsewhere = flow.origin !== undefined && !isWithin(flow.packets, destination(family, own))
      return !isElsewhere && commonPackets(flow.packets, to) !== undefined
    })
    return anyOf(through)
  }
}

/** Ports of this machine whose connections are sent on to another, such as a container. */
export interface PublishedPorts {
  /** From the first to the last of them. */
  readonly ports: readonly (readonly [first: number, last: number])[]
  readonly to: string
  readonly answer: Answer
}

/** Packets to the machine itself that are sent elsewhere and let through; or why that is unknown. */
export function publishedPorts(
  question: Question,
  protocol: number,
  trusted: readonly string[],
): readonly PublishedPorts[] | Extract<Answer, { kind: 'unclear' }> {
  const { family, machine } = question
  const outcome = follow(question, WAY.forward, fromOutside(question, protocol, trusted))
  if (outcome.kind === 'unclear') return outcome
  const own = destination(family, knownAddresses(machine, family))
  const sent = outcome.accepted.filter(({ packets, origin }) => origin !== undefined && !isWithin(packets, own))
  const ports = new Map<string, Flow[]>()
  for (const flow of sent) {
    const key = `${String(flow.origin?.dport)} ${String(flow.packets.daddr ?? flow.packets.daddr6)}`
    ports.set(key, [...(ports.get(key) ?? []), flow])
  }
  return [...ports.values()].map((flows) => ({
    ports: (flows[0]?.origin?.dport ?? EVERY_PORT).map(([first, last]) => [Number(first), Number(last)] as const),
    to: addressText(flows[0]?.packets ?? {}),
    answer: anyOf(flows),
  }))
}

const EVERY_PORT = everyValue('dport')

function addressText({ daddr, dport }: Packets): string {
  const number = daddr?.[0]?.[0]
  const address =
    number === undefined ? 'another address' : [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join('.')
  const port = dport?.[0]?.[0]
  return port === undefined || dport?.[0]?.[1] !== port ? address : `${address}:${port}`
}

function isWithin(packets: Packets, own: Packets): boolean {
  return commonPackets(packets, own) !== undefined
}

/** New connections to the machine from elsewhere, at all interfaces but those that are trusted. */
export function fromOutside(question: Question, protocol: number, trusted: readonly string[]): Packets {
  const { family, machine } = question
  const names = interfacesOf(question).filter((name) => !trusted.includes(name))
  const all = everyValue(family === 'ip' ? 'saddr' : 'saddr6')
  return {
    ...newPackets(family),
    protocol: singleValue(protocol),
    iif: intervalsOf(names.flatMap((name) => interfacesNamed(name))),
    ...source(family, difference(all, LOOPBACK_NETWORK[family])),
    ...destination(family, ownAddresses(machine, family)),
    dsttype: singleValue(2),
  }
}
