import { withBlanksOfC } from '../../settings/blanks.ts'
import type { Assignment } from '../../settings/assignment.ts'
import type { Effective, KeyRules } from '../../settings/surface.ts'
import { conditionsOf } from './assignments.ts'
import { holdsAll, type Connection, type Criterion, type Holds, holdsFor, parseCriteria } from './match.ts'

/**
 * What counts for a connection, and after it what counts in each Match block whose conditions the connection leaves open. A
 * connection of which nothing is known leaves all of them open but `Match all`. `rules` are those of a key that has one value
 * for all, or of one that a block may set.
 */
export function resolveFor(
  assignments: readonly Assignment[],
  { wins }: Pick<KeyRules, 'wins'>,
  connection: Connection,
): readonly [Effective, ...Effective[]] {
  const general: Assignment[] = []
  const held: Assignment[] = []
  const open = new Map<string, Assignment[]>()
  for (const assignment of assignments) {
    const { scope } = assignment
    if (scope === undefined) {
      general.push(assignment)
      continue
    }
    const holds = holdsIn(scope, connection)
    // A line after one that certainly applies has no effect.
    if (holds === 'yes') held.push(assignment)
    else if (holds === 'maybe' && (wins === 'all' || held.length === 0))
      open.set(scope, [...(open.get(scope) ?? []), assignment])
  }
  const base = held.length > 0 ? held : general
  const winners = wins === 'all' ? base : base.slice(0, 1)
  const within = [...open].map(([scope, own]): Effective => {
    const counting = wins === 'all' ? [...held, ...own] : own.slice(0, 1)
    return { scope, winners: counting, losers: own.filter((each) => !counting.includes(each)) }
  })
  return [{ winners, losers: [...held, ...general].filter((each) => !winners.includes(each)) }, ...within]
}

function holdsIn(scope: string, connection: Connection): Holds {
  return holdsAll(conditionsOf(scope).map((text) => holdsFor(connection, criteriaOf(text))))
}

function criteriaOf(text: string): readonly Criterion[] {
  return parseCriteria(text) ?? []
}

const NAMES: Readonly<Record<string, keyof Connection>> = {
  user: 'user',
  host: 'host',
  addr: 'address',
  laddr: 'localaddress',
  lport: 'localport',
  rdomain: 'rdomain',
  group: 'groups',
  groups: 'groups',
  address: 'address',
  localaddress: 'localaddress',
  localport: 'localport',
}

/**
 * Parses a connection in the notation of `sshd -C`: `user=bob,addr=10.0.0.1`; in addition `group=`, which may be repeated.
 * Undefined if invalid.
 */
export function parseConnection(text: string): Connection | undefined {
  const connection: { -readonly [Name in keyof Connection]: Connection[Name] } = {}
  for (const part of text.split(',').filter((each) => each !== '')) {
    const [, name = '', value = ''] = withBlanksOfC(/^\s*([a-z]+)=(.*?)\s*$/).exec(part) ?? []
    const property = NAMES[name]
    if (property === undefined || value === '') return undefined
    if (property === 'groups') connection.groups = [...(connection.groups ?? []), value]
    else if (property !== 'localport') connection[property] = value
    else if (/^\d+$/.test(value)) connection.localport = Number(value)
    else return undefined
  }
  return connection
}
