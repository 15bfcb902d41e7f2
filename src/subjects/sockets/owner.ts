import type { Acceptance } from '../../model/acceptance.ts'
import { known, type Reading, readEach, mapReading } from '../../model/observation.ts'
import type { Process } from '../processes/processes.ts'
import type { SocketOwner } from './sockets.ts'
import { acceptsIdentity, type Identity, identityOf, nameOfProcess } from '../processes/identity.ts'

/** The properties that check the owner of a socket. */
export const OWNER_RULES = ['process', 'user', 'unit'] as const

/** Shown for a kernel socket without a unit. */
const KERNEL = 'the kernel'
const NO_UNIT = 'no unit'

type Rule = (typeof OWNER_RULES)[number]

interface Judged {
  readonly identity: Identity
  readonly shown: string
}

/** The rejected properties of the owner, as texts; empty if it is accepted. */
export function acceptsOwner(
  rule: Rule,
  wanted: string | Acceptance<string>,
  owner: SocketOwner,
  users: ReadonlyMap<number, string>,
): Reading<readonly string[]> {
  return mapReading(judgedBy(rule, owner, users), (judged) =>
    judged.filter(({ identity }) => !acceptsIdentity(wanted, identity)).map(({ shown }) => shown),
  )
}

function judgedBy(rule: Rule, owner: SocketOwner, users: ReadonlyMap<number, string>): Reading<readonly Judged[]> {
  if (rule === 'unit') return judgedUnits(owner)
  if (owner.processes.length === 0) return known([{ identity: [], shown: KERNEL }])
  if (rule === 'user') {
    return known(
      owner.processes.map(({ effectiveUid: uid }) => {
        const name = users.get(uid) ?? String(uid)
        return { identity: [name, String(uid)], shown: name }
      }),
    )
  }
  return judgedProcesses(owner.processes)
}

function judgedProcesses(processes: readonly Process[]): Reading<readonly Judged[]> {
  return readEach(processes, (process) =>
    mapReading(identityOf(process), (identity) => ({ identity, shown: nameOfProcess(process) })),
  )
}

/** A socket unit stands for its service, which also holds the socket once it runs. */
function judgedUnits({ units }: SocketOwner): Reading<readonly Judged[]> {
  if (units.kind === 'unknown') return units
  const isSocket = (unit: string): boolean => unit.endsWith('.socket')
  const sockets = units.value.filter(isSocket)
  const others = units.value.filter((unit) => !isSocket(unit))
  if (others.length > 0) return known(others.map((unit) => ({ identity: [unit, ...sockets], shown: unit })))
  return known([{ identity: sockets, shown: sockets.length === 0 ? NO_UNIT : sockets.join(', ') }])
}

/** `by master (postfix@-.service)`, or the reason that the owner is unknown. */
export function namesOfOwner(owner: Reading<SocketOwner>): string {
  if (owner.kind === 'unknown') return `owner unknown: ${owner.detail}`
  const { processes, units } = owner.value
  const names = [...new Set(processes.map(nameOfProcess))].join(', ')
  const of = units.kind === 'known' && units.value.length > 0 ? ` (${units.value.join(', ')})` : ''
  return `by ${names === '' ? KERNEL : names}${of}`
}
