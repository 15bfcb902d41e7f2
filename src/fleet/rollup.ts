import { distinctIds, isSamePlace, isSamePolicy, type PolicyIdentity } from '../model/policy-identity.ts'
import { isOpen } from '../report/words/requirements.ts'
import { type BySeverity, compareFindings, driftsOf, type FleetFinding } from './findings.ts'
import type { SenderInfo } from './messages/sender.ts'
import { heardAt } from './presence.ts'
import {
  type ReceivedHeartbeat,
  type ReceivedPolicy,
  type ReceivedRequirement,
  type ReceivedRun,
  type Listener,
  machineName,
} from './source.ts'
import { markedBeat, markedRun, markedText, type RunMark, type TextMark } from './traces.ts'
import { createTrends, type Trends } from './trends.ts'
import { createVersions } from './versions.ts'

/** State of a host from its runs. Times are in milliseconds since 1970. */
export interface HostState {
  readonly name: string
  /** Newest run with any result; absent if only other hosts wrote here. */
  readonly newest?: Newest
  /** Sender information of the last message that has it. */
  readonly sender?: SenderInfo
  readonly inForce: readonly PolicyState[]
  /** Last states under the previous text of each policy. */
  readonly earlier: readonly PolicyState[]
  /** Runs of other hosts in the location of this one. */
  readonly foreign: readonly Pick<ReceivedRun, 'host' | 'place'>[]
  /** Last runs, newest first. */
  readonly runs: readonly RunMark[]
  /** Times at which the host changed to another text of a policy, newest first. */
  readonly texts: readonly TextMark[]
}

type Newest = Pick<ReceivedRun, 'runId' | 'startedAtMs' | 'storedAtMs' | 'place' | 'isPerformed' | 'clockOffMs'>

/** State of a policy on one host: results of the last run, completed with earlier runs if it was a partial one. */
export interface PolicyState extends PolicyIdentity {
  /** Display id: its own, with the path if the host has several policies with that id. */
  readonly id: string
  /** Id in the policy. */
  readonly ownId: string
  /** Time of the last complete evaluation; without one, of the last partial one. */
  readonly evaluatedAtMs: number
  readonly isWhole: boolean
  /** Requirements of the policy; shared by all hosts with the same ones. */
  readonly asked: RequirementIndex
  /** Unmet requirements by name, worst first. */
  readonly unmet: ReadonlyMap<string, FleetFinding>
  /** Precomputed totals. */
  readonly sums: PolicySums
}

interface PolicySums {
  readonly findings: readonly FleetFinding[]
  readonly drifts: BySeverity
  readonly hasDrift: boolean
  readonly hasUndecided: boolean
  /** True if no requirement applies to the host. */
  readonly isEmpty: boolean
}

/** Requirements of a policy, by name. */
export type RequirementIndex = ReadonlyMap<string, Pick<ReceivedRequirement, 'kind' | 'title' | 'severity'>>

export interface Rollup extends Listener {
  /** Hosts with at least one message, by name. */
  readonly hosts: ReadonlyMap<string, HostState>
  /** Time since which hosts have changed from this text of a policy to another one; undefined if no host has. */
  readonly leftSince: (policy: Pick<PolicyState, 'ownId' | 'sha256'>) => number | undefined
  readonly trends: Trends
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

/** A host without any report. */
export function unknownHost(name: string): HostState {
  return { name, inForce: [], earlier: [], foreign: [], runs: [], texts: [] }
}

/** Creates an empty rollup. Runs older than the known state do not change it. */
export function createRollup(): Rollup {
  const hosts = new Map<string, HostState>()
  const versions = createVersions()
  const trends = createTrends()
  const share = sharedAsked()
  const nameOf = machineNames(hosts)
  /** Location owner of each misplaced run. */
  const foreignAt = new Map<string, string>()

  function stateOf(name: string): Writable<HostState> {
    const state = hosts.get(name) ?? unknownHost(name)
    hosts.set(name, state)
    return state
  }

  function removePlace(place: string): void {
    const owner = foreignAt.get(place)
    if (owner === undefined) return
    foreignAt.delete(place)
    const state = stateOf(owner)
    state.foreign = state.foreign.filter((each) => each.place !== place)
  }

  function add(run: ReceivedRun): void {
    removePlace(run.place)
    if (run.owner !== undefined && run.owner !== run.host) {
      const owner = stateOf(run.owner)
      foreignAt.set(run.place, run.owner)
      owner.foreign = [...owner.foreign, { host: run.host, place: run.place }]
      return
    }
    const state = stateOf(nameOf(run))
    const atMs = heardAt(run)
    state.runs = markedRun(state.runs, run)
    takeNote(state, run)
    if (state.newest === undefined || atMs >= heardAt(state.newest)) renew(state, run, run.isPerformed)
    const inForce = [...state.inForce]
    for (const policy of run.policies) {
      const at = inForce.findIndex((each) => isSamePolicy(withOwnId(each), policy))
      const before = inForce[at]
      if (before !== undefined) state.earlier = earlierThan(before, state.earlier, { policy, atMs, share })
      if (before !== undefined && before.evaluatedAtMs > atMs) continue
      if (before !== undefined && before.sha256 !== policy.sha256) versions.replaced(withOwnId(before), policy, atMs)
      if (before?.sha256 !== policy.sha256) state.texts = markedText(state.texts, policy, atMs)
      const after = policyState(policy, atMs, { before, share })
      trends.note(state.name, before, withOwnId(after), atMs)
      inForce.splice(before === undefined ? inForce.length : at, 1, after)
    }
    state.inForce = distinguishPolicies(inForce)
  }

  const still = (beat: ReceivedHeartbeat): void => applyHeartbeat(stateOf(beat.host), beat)

  return { add, still, gone: removePlace, hosts, leftSince: (policy) => versions.leftSince(withOwnId(policy)), trends }
}

/** Assigns host names: once a second machine uses a name, each machine (also the first) gets a name of its own. */
function machineNames(hosts: Map<string, HostState>): (run: ReceivedRun) => string {
  const machines = new Map<string, Set<string>>()
  return ({ host, machine }) => {
    const known = machines.get(host) ?? new Set()
    machines.set(host, known)
    if (machine !== undefined) known.add(machine)
    if (known.size < 2 || machine === undefined) return host
    const [first = ''] = known
    const firstName = machineName(host, first)
    const state = hosts.get(host)
    if (known.size === 2 && state !== undefined && !hosts.has(firstName)) {
      hosts.delete(host)
      hosts.set(firstName, { ...state, name: firstName })
    }
    return machineName(host, machine)
  }
}

/** Sets `id` to the policy's own id. */
function withOwnId<Each extends Pick<PolicyState, 'ownId'>>(policy: Each): Each & Pick<PolicyState, 'id'> {
  return { ...policy, id: policy.ownId }
}

/** Gives the policies of one host distinct ids. */
function distinguishPolicies(policies: readonly PolicyState[]): readonly PolicyState[] {
  if (
    new Set(policies.map(({ id }) => id)).size === policies.length &&
    policies.every(({ id, ownId }) => id === ownId)
  ) {
    return policies
  }
  const ids = distinctIds(policies.map(withOwnId))
  return policies.map((policy, index) => {
    const id = ids[index] ?? policy.id
    if (id === policy.id) return policy
    return summarizePolicy(
      { ...policy, id },
      [...policy.unmet.values()].map((finding) => ({ ...finding, policy: id })),
    )
  })
}

/** Applies a heartbeat: the state is unchanged, its time is newer. */
function applyHeartbeat(state: Writable<HostState>, beat: ReceivedHeartbeat): void {
  const atMs = heardAt(beat)
  state.runs = markedBeat(state.runs, beat)
  takeNote(state, beat)
  if (state.newest === undefined || atMs >= heardAt(state.newest)) renew(state, beat, true)
  state.inForce = state.inForce.map((policy) => {
    const isTold = beat.policies.some(({ id, sha256 }) => id === policy.ownId && sha256 === policy.sha256)
    return isTold && policy.isWhole && policy.evaluatedAtMs <= atMs ? { ...policy, evaluatedAtMs: atMs } : policy
  })
}

/** After an absence a host sends its newest run first, so only the message stored last has the current backlog. */
function takeNote(
  state: Writable<HostState>,
  { sender, storedAtMs }: Pick<ReceivedRun, 'sender' | 'storedAtMs'>,
): void {
  if (sender === undefined || storedAtMs < (state.sender?.saidAtMs ?? storedAtMs)) return
  state.sender = { ...sender, saidAtMs: storedAtMs }
}

function renew(state: Writable<HostState>, run: Omit<Newest, 'isPerformed'>, isPerformed: boolean): void {
  const { runId, startedAtMs, storedAtMs, place, clockOffMs } = run
  state.newest =
    clockOffMs === undefined
      ? { runId, startedAtMs, storedAtMs, place, isPerformed }
      : { runId, startedAtMs, storedAtMs, place, isPerformed, clockOffMs }
}

interface PolicyUpdate {
  readonly policy: ReceivedPolicy
  readonly atMs: number
  readonly share: Known['share']
}

/**
 * Last states under earlier texts, updated with this message: a new text replaces the one in force, or arrives late
 * because a host sends its newest runs first.
 */
function earlierThan(
  inForce: PolicyState,
  earlier: HostState['earlier'],
  { policy, atMs, share }: PolicyUpdate,
): HostState['earlier'] {
  if (policy.sha256 === inForce.sha256) return earlier
  const known = earlier.find((each) => isSamePlace(each.source, policy.source) && each.ownId === policy.id)
  const others = earlier.filter((each) => each !== known)
  if (inForce.evaluatedAtMs <= atMs) return [inForce, ...others]
  if (policy.isPartial || (known !== undefined && known.evaluatedAtMs >= atMs)) return earlier
  return [policyState(policy, atMs, { before: undefined, share }), ...others]
}

interface Known {
  readonly before: PolicyState | undefined
  readonly share: (requirements: readonly ReceivedRequirement[]) => RequirementIndex
}

function policyState(policy: ReceivedPolicy, atMs: number, { before, share }: Known): PolicyState {
  const { id: ownId, source, sha256, isPartial, requirements } = policy
  const id = before?.id ?? ownId
  const asked = share(requirements)
  const findings: FleetFinding[] = []
  for (const { name, kind, title, severity, standing, cause } of requirements) {
    if (standing === 'met') continue
    const earlier = before?.unmet.get(name)
    const isSame = earlier !== undefined && (earlier.standing === standing || (isOpen(earlier) && isOpen({ standing })))
    const sinceMs = isSame ? earlier.sinceMs : atMs
    // No spread: there are many findings, and few object shapes keep them fast.
    const finding: Writable<FleetFinding> = { policy: id, name, kind, severity, standing, sinceMs }
    if (title !== undefined) finding.title = title
    if (cause !== undefined) finding.cause = cause
    findings.push(finding)
  }
  if (!isPartial || before?.sha256 !== sha256) {
    return summarizePolicy({ id, ownId, source, sha256, evaluatedAtMs: atMs, isWhole: !isPartial, asked }, findings)
  }
  for (const [name, each] of before.unmet) if (!asked.has(name)) findings.push(each)
  const { isWhole } = before
  const evaluatedAtMs = isWhole ? before.evaluatedAtMs : atMs
  return summarizePolicy(
    { id, ownId, source, sha256, evaluatedAtMs, isWhole, asked: new Map([...before.asked, ...asked]) },
    findings,
  )
}

function summarizePolicy(state: Omit<PolicyState, 'unmet' | 'sums'>, unsorted: readonly FleetFinding[]): PolicyState {
  const unmet = new Map<string, FleetFinding>()
  for (const finding of unsorted.toSorted(compareFindings)) {
    if (!unmet.has(finding.name)) unmet.set(finding.name, finding)
  }
  const findings = [...unmet.values()]
  const drifts = driftsOf(findings)
  const hasDrift = findings.some(({ standing }) => standing === 'drifted')
  const hasUndecided = findings.some(({ standing }) => standing === 'undecided')
  let concerning = state.asked.size
  for (const { standing } of findings) if (standing === 'not-applicable') concerning--
  return { ...state, unmet, sums: { findings, drifts, hasDrift, hasUndecided, isEmpty: concerning === 0 } }
}

/** Shares one map between equal requirements, since thousands of hosts have the same policies. */
function sharedAsked(): Known['share'] {
  const known = new Map<string, RequirementIndex>()
  return (requirements) => {
    const key = requirements.map(({ name, severity }) => `${severity} ${name}`).join('\n')
    const asked: RequirementIndex =
      known.get(key) ?? new Map(requirements.map(({ name, ...each }) => [name, aboutOf(each)]))
    known.set(key, asked)
    return asked
  }
}

function aboutOf({
  kind,
  title,
  severity,
}: Omit<ReceivedRequirement, 'name'>): Pick<ReceivedRequirement, 'kind' | 'title' | 'severity'> {
  return title === undefined ? { kind, severity } : { kind, title, severity }
}
