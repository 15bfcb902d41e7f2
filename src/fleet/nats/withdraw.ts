import { defined } from '../../model/defined.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { rosterIn } from '../load-roster.ts'
import type { Assignment } from './assignment.ts'
import { lastOfEach, type StoredAssignment } from './assignments.ts'
import { fleetHome } from './home.ts'
import { storeMessage } from './jetstream.ts'
import { type Addressee, BUCKETS, valueSubject } from './names.ts'
import { asOperator } from './operator.ts'

/**
 * Withdraws the assignment of a host in favour of that of its ring. Hosts reject older versions, so the ring's
 * assignment is signed again. Throws an `OperatorError`.
 */
export async function withdraw(
  directory: string,
  name: string,
  { author, reason }: Pick<Assignment, 'author' | 'reason'>,
): Promise<Assignment> {
  const ring = ringOf(fleetHome(directory).roster, name)
  return await asOperator(directory, async ({ line, assign, assignments, note }) => {
    const stored = await assignments()
    const own = lastOf(stored, `host.${name}`)
    const common = lastOf(stored, `ring.${ring}`)
    if (own === undefined) throw new OperatorError(`${name} has no own assignment`)
    if (common === undefined)
      throw new OperatorError(`ring.${ring} has no assignment for ${name} to use: assign policies to the ring first`)
    const { to, policies, interval } = common
    const bundles = policies.map(({ sha256 }) => sha256)
    const about = { to, bundles, author, reason: `unchanged for ${name}: ${reason}`, ...defined({ interval }) }
    const followed = common.version > own.version ? common : await assign(about)
    await storeMessage(line, valueSubject(BUCKETS.assignments, own.to), { body: '', isRemoval: true })
    await note({ act: 'withdraw', author, about: own.to, text: `it follows ${to} again; ${reason}` })
    return followed
  })
}

function ringOf(file: string, name: string): string {
  const ring = rosterIn(file).hosts.get(name)?.ring
  if (ring === undefined) throw new OperatorError(`the roster ${file} has no host ${name} with a ring`)
  return ring
}

function lastOf(stored: readonly StoredAssignment[], addressee: Addressee): Assignment | undefined {
  const said = lastOfEach(stored).find(({ to }) => to === addressee)?.said
  return said !== undefined && 'assignment' in said ? said.assignment : undefined
}
