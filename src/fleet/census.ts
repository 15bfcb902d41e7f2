import { dayOfTime } from '../model/calendar.ts'
import { defined } from '../model/defined.ts'
import { SEVERITIES, type Severity } from '../model/verdict.ts'
import type { Assigned, AssignedTexts } from './assigned-texts.ts'
import { behindSinces } from './behind.ts'
import { type BySeverity, compareFindings, type FleetFinding, NO_DRIFTS } from './findings.ts'
import type { SenderInfo } from './messages/sender.ts'
import { heardAt, isUnheard, type Presence, presenceOf, PRESENCES } from './presence.ts'
import { type HostState, type PolicyState, type Rollup, unknownHost } from './rollup.ts'
import type { DueTexts } from './rollout/due-texts.ts'
import type { Roster, RosterHost } from './roster.ts'
import type { Machine, UnusablePlace } from './source.ts'
import type { RunMark, TextMark } from './traces.ts'

/**
 * State of a host: `undecided` if it does not report, its last run was not performed, or it has no drift but unknown
 * requirements.
 */
export type HostAnswer = 'drifted' | 'undecided' | 'compliant'

/** Host states, most severe first. */
export const ANSWERS: readonly HostAnswer[] = ['drifted', 'undecided', 'compliant']

/** A host in lists and counts. Times are in milliseconds since 1970. */
export interface FleetHost {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** True if the roster lists the host. */
  readonly isListed: boolean
  readonly presence: Presence
  readonly answer: HostAnswer
  /** Reason why its state is unknown. */
  readonly trouble?: string
  /** Machines that report under its name, if copies of it exist. */
  readonly machines?: readonly Machine[]
  readonly intervalMs: number
  /** Time of the last message; absent if it never reported. */
  readonly heardAtMs?: number
  /** Sender information of hosts that report to a server. */
  readonly sender?: SenderInfo
  readonly policies: readonly PolicyState[]
  /** Last states under the previous text of each policy. */
  readonly earlier: readonly PolicyState[]
  /** Its ring in the roster. */
  readonly ring?: string
  /** True if its newest run was performed; absent without a run. */
  readonly isPerformed?: boolean
  /** Number of drifted requirements by severity. */
  readonly drifts: BySeverity
  /** Unmet requirements, worst first; for a host that does not report, those of its last report. */
  readonly findings: readonly FleetFinding[]
  /** Last runs, newest first. */
  readonly runs: readonly RunMark[]
  /** Times at which the host changed to another text of a policy, newest first. */
  readonly texts: readonly TextMark[]
}

export interface CensusInput {
  readonly rollup: Rollup
  /** Expected hosts; without it no host can be missing. */
  readonly roster?: Roster
  /** Default reporting interval in milliseconds. */
  readonly intervalMs: number
  readonly nowMs: number
  /** Signed assignments of hosts; absent if unknown. */
  readonly assigned?: AssignedTexts
  /** Policies due in the current rollout; absent without one. */
  readonly due?: DueTexts
  /** Unusable items: the state of a host is unknown if one is newer than its last run. */
  readonly unusable: readonly UnusablePlace[]
}

/** All expected or reporting hosts, including retired ones, most severe first. */
export function takeCensus(input: CensusInput): readonly FleetHost[] {
  const { rollup, roster, unusable } = input
  const names = new Set([...(roster?.hosts.keys() ?? []), ...rollup.hosts.keys()])
  // The newest item of each host overwrites the earlier ones.
  const places = unusable.toSorted((left, right) => (left.storedAtMs ?? Infinity) - (right.storedAtMs ?? Infinity))
  const doubts = new Map(places.flatMap((place) => place.hosts.map((host) => [host, place] as const)))
  const forged = new Map(
    places.flatMap((place) => (place.isForged ? place.hosts.map((host) => [host, place] as const) : [])),
  )
  const machines = new Map(
    places
      .flatMap((place) => place.hosts.map((host) => [host, place.machines] as const))
      .filter(([, of]) => of !== undefined),
  )
  return [...names]
    .map((name) =>
      hostOf(name, input, { doubt: doubts.get(name), forged: forged.get(name), machines: machines.get(name) }),
    )
    .toSorted(compareHosts)
}

/** Unusable items that may belong to a host: the newest, and the newest that may be forged. */
interface Doubts {
  readonly doubt: UnusablePlace | undefined
  readonly forged: UnusablePlace | undefined
  readonly machines: UnusablePlace['machines']
}

function hostOf(name: string, input: CensusInput, doubts: Doubts): FleetHost {
  const { rollup, roster, nowMs } = input
  const listed = roster?.hosts.get(name)
  const state = rollup.hosts.get(name) ?? unknownHost(name)
  const { newest, earlier, runs, texts } = state
  const address = { name, ...defined({ ring: listed?.ring }) }
  const assigned = input.assigned?.(address)
  const former = [...(assigned?.former ?? [])]
  // A withdrawn policy still counts while the host evaluates it.
  const isWithdrawn = ({ source, evaluatedAtMs }: PolicyState): boolean =>
    newest !== undefined && evaluatedAtMs < heardAt(newest) && former.some((file) => source.includes(`/${file}!/`))
  const policies = state.inForce.filter(
    (policy) => roster?.policies.get(policy.id) !== 'retired' && !isWithdrawn(policy),
  )
  const usualMs = listed?.intervalMs ?? roster?.intervalMs ?? input.intervalMs
  const intervalMs = intervalOf(usualMs, assigned, newest)
  const presence = presenceOf({
    nowMs,
    intervalMs,
    isRetired: isRetired(listed, nowMs),
    isForged: state.foreign.length > 0 || doubts.forged !== undefined,
    ...defined({ newest }),
    behindSinceMs: behindSinces({
      inForce: state.inForce,
      policies,
      intervalMs,
      nowMs,
      roster,
      leftSince: rollup.leftSince,
      assigned,
      due: input.due?.(address),
    }),
  })
  const trouble = troubleOf(state, presence, doubts)
  return {
    name,
    labels: listed?.labels ?? NO_LABELS,
    isListed: roster === undefined || listed !== undefined,
    presence,
    answer: trouble === undefined ? answerOf(policies) : 'undecided',
    ...defined({ trouble, machines: doubts.machines }),
    ...defined({ heardAtMs: newest && heardAt(newest), sender: state.sender }),
    ...defined({ ring: listed?.ring, isPerformed: newest?.isPerformed }),
    intervalMs,
    policies,
    earlier,
    ...sumsOf(policies),
    runs,
    texts,
  }
}

const NO_LABELS: FleetHost['labels'] = {}

/**
 * Reports before an assignment follow the previous interval, so the longer interval of both applies until the next
 * report.
 */
function intervalOf(usualMs: number, assigned: Assigned | undefined, newest: HostState['newest']): number {
  if (assigned?.intervalMs === undefined) return usualMs
  const isTaken = newest !== undefined && heardAt(newest) >= assigned.sinceMs
  return isTaken ? assigned.intervalMs : Math.max(usualMs, assigned.intervalMs)
}

function isRetired(listed: RosterHost | undefined, nowMs: number): boolean {
  return listed?.retired !== undefined && listed.retired <= dayOfTime(new Date(nowMs).toISOString())
}

function answerOf(policies: readonly PolicyState[]): HostAnswer {
  if (policies.some(({ sums }) => sums.hasDrift)) return 'drifted'
  const isEmpty = policies.every(({ sums }) => sums.isEmpty)
  return isEmpty || policies.some(({ sums }) => sums.hasUndecided) ? 'undecided' : 'compliant'
}

/** Fast path: nearly every host has one policy, whose sums are precomputed. */
function sumsOf(policies: readonly PolicyState[]): Pick<FleetHost, 'findings' | 'drifts'> {
  const [first, ...others] = policies
  if (first === undefined) return { findings: [], drifts: NO_DRIFTS }
  if (others.length === 0) return { findings: first.sums.findings, drifts: first.sums.drifts }
  const drifts: Record<Severity, number> = { ...NO_DRIFTS }
  for (const { sums } of policies) for (const severity of SEVERITIES) drifts[severity] += sums.drifts[severity]
  return { findings: policies.flatMap(({ sums }) => sums.findings).toSorted(compareFindings), drifts }
}

function troubleOf({ newest, foreign }: HostState, presence: Presence, { doubt, forged }: Doubts): string | undefined {
  const [first] = foreign
  if (presence === 'forged' && first !== undefined) return `its location holds a run of ${first.host}: ${first.place}`
  if (presence === 'forged' && forged !== undefined) return `possibly forged: ${forged.place}: ${forged.reason}`
  if (presence === 'retired') return undefined
  if (doubt !== undefined && (doubt.storedAtMs ?? Infinity) >= (newest?.storedAtMs ?? 0)) {
    return `its last report cannot be used: ${doubt.reason}`
  }
  if (isUnheard(presence)) return UNHEARD[presence]
  return newest?.isPerformed === false ? 'its last run could not be performed' : undefined
}

const UNHEARD: Readonly<Partial<Record<Presence, string>>> = {
  never: 'never reported',
  silent: 'no report for two intervals',
  outdated: 'it reports an older policy, or not all of its policies',
}

/** Most severe first: silent hosts, then drift by severity, then by name. */
function compareHosts(left: FleetHost, right: FleetHost): number {
  return (
    PRESENCE_RANKS[left.presence] - PRESENCE_RANKS[right.presence] ||
    ANSWER_RANKS[left.answer] - ANSWER_RANKS[right.answer] ||
    compareCounts(left, right) ||
    (left.name < right.name ? -1 : 1)
  )
}

const PRESENCE_RANKS = ranksOf(PRESENCES)
const ANSWER_RANKS = ranksOf(ANSWERS)

/** Index of each word: sorting all hosts must be fast. */
function ranksOf<Word extends string>(words: readonly Word[]): Readonly<Record<Word, number>> {
  return Object.fromEntries(words.map((word, rank) => [word, rank])) as Record<Word, number>
}

const GRAVEST_FIRST = SEVERITIES.toReversed()

function compareCounts(left: FleetHost, right: FleetHost): number {
  for (const severity of GRAVEST_FIRST) {
    const difference = right.drifts[severity] - left.drifts[severity]
    if (difference !== 0) return difference
  }
  return 0
}

/** All hosts except retired ones. */
export function activeOf(hosts: readonly FleetHost[]): readonly FleetHost[] {
  return hosts.filter(({ presence }) => presence !== 'retired')
}
