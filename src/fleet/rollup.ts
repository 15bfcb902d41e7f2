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

/** What the runs of one host amount to. Times are in milliseconds since 1970. */
export interface HostState {
  readonly name: string
  /** The newest run, with any result; absent where all there is was left by others. */
  readonly newest?: Newest
  /** What it says of itself with the run that came last of those that do. */
  readonly sender?: SenderInfo
  readonly inForce: readonly PolicyState[]
  /** How the text of each policy stood last that was in force before the one that is. */
  readonly earlier: readonly PolicyState[]
  /** Runs of other hosts that lie where this one stores its own. */
  readonly foreign: readonly Pick<ReceivedRun, 'host' | 'place'>[]
  /** Its last runs, the newest first. */
  readonly runs: readonly RunMark[]
  /** When it went over to which text of a policy, the newest first. */
  readonly texts: readonly TextMark[]
}

type Newest = Pick<ReceivedRun, 'runId' | 'startedAtMs' | 'storedAtMs' | 'place' | 'isPerformed' | 'clockOffMs'>

/** How a policy stands on one host: what its last run found, and what earlier ones found where that one was selective. */
export interface PolicyState extends PolicyIdentity {
  /** What it is called here: its own id, or with the path where the host has several of that id. */
  readonly id: string
  /** What it calls itself. */
  readonly ownId: string
  /** When a run last looked at all of it; where none ever did, at any of it. */
  readonly evaluatedAtMs: number
  readonly isWhole: boolean
  /** What it asks for, shared by all hosts of which it asks the same. */
  readonly asked: RequirementIndex
  /** All of that which is not met, by name, the worst first. */
  readonly unmet: ReadonlyMap<string, FleetFinding>
  /** What every count needs of that, made once. */
  readonly sums: PolicySums
}

interface PolicySums {
  readonly findings: readonly FleetFinding[]
  readonly drifts: BySeverity
  readonly hasDrift: boolean
  readonly hasUndecided: boolean
  /** Whether nothing of it concerns the host. */
  readonly isEmpty: boolean
}

/** What a policy asks for, by name. */
export type RequirementIndex = ReadonlyMap<string, Pick<ReceivedRequirement, 'kind' | 'title' | 'severity'>>

/** The latest state of all hosts. */
export interface Rollup extends Listener {
  /** By name; hosts of which anything was heard. */
  readonly hosts: ReadonlyMap<string, HostState>
  /** Since when hosts have gone over from this text of a policy to another one; undefined where none has. */
  readonly leftSince: (policy: Pick<PolicyState, 'ownId' | 'sha256'>) => number | undefined
  readonly trends: Trends
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

/** A host of which nothing is known. */
export function unknownHost(name: string): HostState {
  return { name, inForce: [], earlier: [], foreign: [], runs: [], texts: [] }
}

/** Makes an empty one. What is older than what is known changes nothing of how a host stands. */
export function createRollup(): Rollup {
  const hosts = new Map<string, HostState>()
  const versions = createVersions()
  const trends = createTrends()
  const share = sharedAsked()
  const nameOf = machineNames(hosts)
  /** In whose place a run of another host lies. */
  const foreignAt = new Map<string, string>()

  function stateOf(name: string): Writable<HostState> {
    const state = hosts.get(name) ?? unknownHost(name)
    hosts.set(name, state)
    return state
  }

  function gone(place: string): void {
    const owner = foreignAt.get(place)
    if (owner === undefined) return
    foreignAt.delete(place)
    const state = stateOf(owner)
    state.foreign = state.foreign.filter((each) => each.place !== place)
  }

  function add(run: ReceivedRun): void {
    gone(run.place)
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
      const at = inForce.findIndex((each) => isSamePolicy(own(each), policy))
      const before = inForce[at]
      if (before !== undefined) state.earlier = earlierThan(before, state.earlier, { policy, atMs, share })
      if (before !== undefined && before.evaluatedAtMs > atMs) continue
      if (before !== undefined && before.sha256 !== policy.sha256) versions.replaced(own(before), policy, atMs)
      if (before?.sha256 !== policy.sha256) state.texts = markedText(state.texts, policy, atMs)
      const after = policyState(policy, atMs, { before, share })
      trends.note(state.name, before, own(after), atMs)
      inForce.splice(before === undefined ? inForce.length : at, 1, after)
    }
    state.inForce = distinguished(inForce)
  }

  const still = (beat: ReceivedHeartbeat): void => stay(stateOf(beat.host), beat)

  return { add, still, gone, hosts, leftSince: (policy) => versions.leftSince(own(policy)), trends }
}

/** Names hosts: of machines of one name each has a name of its own, once there are two, which the first one gets then, too. */
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

/** A policy as it calls itself. */
function own<Each extends Pick<PolicyState, 'ownId'>>(policy: Each): Each & Pick<PolicyState, 'id'> {
  return { ...policy, id: policy.ownId }
}

/** Policies of one host under ids that tell them apart. */
function distinguished(policies: readonly PolicyState[]): readonly PolicyState[] {
  if (
    new Set(policies.map(({ id }) => id)).size === policies.length &&
    policies.every(({ id, ownId }) => id === ownId)
  ) {
    return policies
  }
  const ids = distinctIds(policies.map(own))
  return policies.map((policy, index) => {
    const id = ids[index] ?? policy.id
    if (id === policy.id) return policy
    return summed(
      { ...policy, id },
      [...policy.unmet.values()].map((finding) => ({ ...finding, policy: id })),
    )
  })
}

/** Everything of the host stands as it did, and was looked at later. */
function stay(state: Writable<HostState>, beat: ReceivedHeartbeat): void {
  const atMs = heardAt(beat)
  state.runs = markedBeat(state.runs, beat)
  takeNote(state, beat)
  if (state.newest === undefined || atMs >= heardAt(state.newest)) renew(state, beat, true)
  state.inForce = state.inForce.map((policy) => {
    const isTold = beat.policies.some(({ id, sha256 }) => id === policy.ownId && sha256 === policy.sha256)
    return isTold && policy.isWhole && policy.evaluatedAtMs <= atMs ? { ...policy, evaluatedAtMs: atMs } : policy
  })
}

/** A host that was away sends its newest run first: how many still wait is known from the one that came last. */
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

interface Told {
  readonly policy: ReceivedPolicy
  readonly atMs: number
  readonly share: Known['share']
}

/**
 * How earlier texts stood last, with what is told now: another text takes the place of the one in force, or comes late, since a host sends its
 * newest runs first.
 */
function earlierThan(
  inForce: PolicyState,
  earlier: HostState['earlier'],
  { policy, atMs, share }: Told,
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
    // No spread: there are many of these, and so each has one of few shapes.
    const finding: Writable<FleetFinding> = { policy: id, name, kind, severity, standing, sinceMs }
    if (title !== undefined) finding.title = title
    if (cause !== undefined) finding.cause = cause
    findings.push(finding)
  }
  if (!isPartial || before?.sha256 !== sha256) {
    return summed({ id, ownId, source, sha256, evaluatedAtMs: atMs, isWhole: !isPartial, asked }, findings)
  }
  for (const [name, each] of before.unmet) if (!asked.has(name)) findings.push(each)
  const { isWhole } = before
  const evaluatedAtMs = isWhole ? before.evaluatedAtMs : atMs
  return summed(
    { id, ownId, source, sha256, evaluatedAtMs, isWhole, asked: new Map([...before.asked, ...asked]) },
    findings,
  )
}

function summed(state: Omit<PolicyState, 'unmet' | 'sums'>, unsorted: readonly FleetFinding[]): PolicyState {
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

/** Gives the same map for the same requirements: thousands of hosts are asked the same. */
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
