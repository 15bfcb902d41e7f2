import { OperatorError } from '../../model/operator-error.ts'
import type { Line } from '../../host/nats/line.ts'
import { type AssignedFiles, openAssignedFiles, type Taken } from './assigned-files.ts'
import { type Assignment, openAssignment } from './assignment.ts'
import { type Agent, readAgent } from './connect.ts'
import { lastValue } from './jetstream.ts'
import { valueOfJson } from './json.ts'
import { type Addressee, BUCKETS } from './names.ts'
import { fetchBundle } from './stored-policies.ts'

/** Policies for a host's scan. */
export type Assigned =
  | {
      /** Confirmed by the server now. */
      readonly kind: 'assigned'
      readonly assignment: Assignment
      /** Paths of the verified bundles, in the order of the assignment. */
      readonly policies: readonly string[]
      /** True if the assignment changed. */
      readonly changed: boolean
    }
  | {
      /** The last verified assignment stays in force: there is no new one, or it was rejected. */
      readonly kind: 'kept'
      readonly assignment: Assignment
      readonly policies: readonly string[]
      readonly reason: string
      /** Time of the last confirmation, in ISO 8601. */
      readonly since: string
    }
  | { readonly kind: 'none'; readonly reason: string }

/**
 * Asks the server for the assignment of this host or its ring. Accepts it if the operator has signed it for that
 * addressee, its version is not lower than before, and all bundles match. `line` is undefined if the server is
 * unreachable. Never throws for failures of the server or the machine: these become a `reason`.
 */
export async function keepUp(line: Line | undefined, agentDirectory: string): Promise<Assigned> {
  let before: Before = { kind: 'nothing', detail: '' }
  try {
    const agent = readAgent(agentDirectory)
    const files = openAssignedFiles(agentDirectory)
    before = takenBefore(agent, files)
    if (line === undefined) throw new OperatorError('the server is unreachable')
    return await takeOffered(line, { agent, files, before })
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    if (before.kind !== 'taken') return { kind: 'none', reason: before.detail + error.message }
    const { assignment, confirmedAt: since } = before
    try {
      return { kind: 'kept', assignment, policies: localBundles(before), reason: error.message, since }
    } catch (damaged) {
      if (!(damaged instanceof OperatorError)) throw damaged
      return { kind: 'none', reason: `${error.message}; ${damaged.message}` }
    }
  }
}

/** The previous assignment; `detail` begins the reason if there was no valid one. */
type Before =
  | {
      readonly kind: 'taken'
      readonly assignment: Assignment
      readonly envelope: unknown
      readonly confirmedAt: string
      readonly files: AssignedFiles
    }
  | { readonly kind: 'nothing'; readonly detail: string }

/** Verified again: if the operator changed the trusted key, the old assignment is invalid. */
function takenBefore(agent: Agent, files: AssignedFiles): Before {
  const taken = files.taken()
  if (taken === undefined) return { kind: 'nothing', detail: '' }
  const opened = openAssignment(taken.envelope, agent.policyKey)
  if ('message' in opened) return { kind: 'nothing', detail: `the stored assignment is not used: ${opened.message}; ` }
  return { kind: 'taken', assignment: opened.assignment, ...taken, files }
}

function localBundles({ assignment, files }: Extract<Before, { readonly kind: 'taken' }>): readonly string[] {
  return assignment.policies.map((policy) => {
    const path = files.bundle(policy)
    if (path === undefined)
      throw new OperatorError(`the bundle of ${policy.name} that was stored is missing or damaged`)
    return path
  })
}

interface Taking {
  readonly agent: Agent
  readonly files: AssignedFiles
  readonly before: Before
}

async function takeOffered(line: Line, { agent, files, before }: Taking): Promise<Assigned> {
  const { assignment, envelope } = await offeredTo(line, agent)
  const changed = isLater(assignment, before)
  const policies: string[] = []
  for (const policy of assignment.policies)
    policies.push(files.bundle(policy) ?? files.keepBundle(policy, await fetchBundle(line, policy.sha256)))
  files.take({ envelope, confirmedAt: new Date().toISOString() }, assignment.policies)
  return { kind: 'assigned', assignment, policies, changed }
}

/** The signed assignment for this host or else its ring. Throws an `OperatorError` if there is no valid one. */
async function offeredTo(line: Line, { name, ring, policyKey }: Agent): Promise<Offered> {
  for (const to of [`host.${name}`, `ring.${ring}`] as const) {
    const found = await lastValue(line, BUCKETS.assignments, to)
    if (found === undefined) continue
    const envelope = valueOfJson(found.bytes)
    const opened = openAssignment(envelope, policyKey)
    if ('message' in opened) throw refusedAssignment(to, opened.message)
    const { assignment } = opened
    if (assignment.to !== to) throw refusedAssignment(to, `it is for ${assignment.to}`)
    return { assignment, envelope }
  }
  throw new OperatorError(
    `the server has no assignment for host.${name} or ring.${ring}; "driftgate fleet assign" creates one`,
  )
}

type Offered = Pick<Taken, 'envelope'> & { readonly assignment: Assignment }

function refusedAssignment(to: Addressee, reason: string): OperatorError {
  return new OperatorError(`the assignment on the server for ${to} is refused: ${reason}`)
}

/**
 * True for a later version, false for the same assignment. Throws an `OperatorError` for an earlier version, even for
 * another addressee.
 */
function isLater(assignment: Assignment, before: Before): boolean {
  if (before.kind === 'nothing') return true
  const { version, to } = before.assignment
  if (assignment.version > version) return true
  if (JSON.stringify(assignment) === JSON.stringify(before.assignment)) return false
  throw refusedAssignment(
    assignment.to,
    `its version ${assignment.version} is not newer than ${version}, accepted for ${to}; "driftgate fleet assign" creates a newer one`,
  )
}
