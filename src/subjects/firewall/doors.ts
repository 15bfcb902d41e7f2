import type { Reading } from '../../model/observation.ts'
import { AS_WANTED, drifted, mergeParts, type PartialDecision, undecided } from '../../model/partial-decision.ts'
import { addressNumber } from './rules/addresses.ts'
import { doorAnswers, publishedPorts } from './rules/door-answers.ts'
import { type Answer, PROTOCOL, type Question } from './rules/question.ts'
import { asIpv4, formatIp, isAnyAddress, parseIp } from '../../model/ip-address.ts'
import { type FirewallDesired, isAllowed, type Listener, unclearRuleset } from './wanted.ts'

/** A door that was not allowed, at one family of addresses. */
interface Unasked {
  readonly path: string
  readonly family: Question['family']
  readonly answer: Answer
  readonly who: string
}

/** Every port that can be reached from outside and is not allowed: of a socket that listens, or one that is sent on. */
export function compareDoors(
  { allowed, trusted_interfaces: trusted = [] }: Pick<FirewallDesired, 'allowed' | 'trusted_interfaces'>,
  listeners: Reading<readonly Listener[]>,
  questions: readonly Question[],
): PartialDecision {
  if (allowed === undefined) return AS_WANTED
  if (listeners.kind === 'unknown') return undecided('allowed', listeners)
  const doors = questions.flatMap((question) =>
    (['tcp', 'udp'] as const).flatMap((name): readonly Unasked[] => {
      const own = listeners.value.filter(({ protocol, takes }) => protocol === name && takes.includes(question.family))
      const ask = doorAnswers(question, PROTOCOL[name], trusted)
      const published = publishedPorts(question, PROTOCOL[name], trusted)
      return [
        ...own.flatMap((listener) => listeningDoor(listener, question.family, ask)),
        ...publishedDoors(published, allowed, { name, family: question.family }),
      ]
    }),
  )
  return mergeParts(uniqueDoors(doors).map(compareDoor))
}

function publishedDoors(
  published: ReturnType<typeof publishedPorts>,
  allowed: readonly string[],
  { name, family }: { readonly name: 'tcp' | 'udp'; readonly family: Question['family'] },
): readonly Unasked[] {
  const who = 'the port is forwarded'
  if ('kind' in published) return [{ path: `forwarded ${name} ports`, family, answer: published, who }]
  return published
    .filter(({ ports }) => !ports.every((range) => isAllowed(allowed, name, range)))
    .map(({ ports, to, answer }) => {
      const text = ports.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',')
      return { path: `${name}:${text} to ${to}`, family, answer, who }
    })
}

function listeningDoor(
  { protocol, port, address, by }: Listener,
  family: Question['family'],
  ask: ReturnType<typeof doorAnswers>,
): readonly Unasked[] {
  const bytes = parseIp(address)
  if (bytes === undefined) return []
  const own = asIpv4(bytes) ?? bytes
  if (own.length === 4 ? own[0] === 127 : formatIp(own) === '::1') return []
  const number = isAnyAddress(own) ? undefined : addressNumber(formatIp(own))?.value
  const answer = ask({ protocol: PROTOCOL[protocol], port, ...(number === undefined ? {} : { address: number }) })
  return [
    {
      path: `${protocol}:${port} at ${address}`,
      family,
      answer,
      who: by === undefined ? 'listening' : `${by} listens`,
    },
  ]
}

/** An open one counts once, although it may be open to both families. */
function uniqueDoors(doors: readonly Unasked[]): readonly Unasked[] {
  const open = new Set<string>()
  return doors.filter(({ path, answer }) => {
    if (answer.kind !== 'accept') return true
    const isFirst = !open.has(path)
    open.add(path)
    return isFirst
  })
}

function compareDoor({ path, family, answer, who }: Unasked): PartialDecision {
  if (answer.kind === 'unclear') return undecided('allowed', unclearRuleset(family, `${path}: ${answer.by}`))
  if (answer.kind === 'drop') return AS_WANTED
  const note = `${who}; accepted by ${answer.by}`
  return drifted({ property: 'allowed', desired: 'closed', observed: 'open', path, note })
}
