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
 * How a host stands: `undecided` where it is not heard, its last run could not be performed, or nothing drifts and something
 * could not be decided.
 */
export type HostAnswer = 'drifted' | 'undecided' | 'compliant'

/** How hosts stand, the gravest first. */
export const ANSWERS: readonly HostAnswer[] = ['drifted', 'undecided', 'compliant']

/** One host as every list and every count has it. Times are in milliseconds since 1970. */
export interface FleetHost {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** Whether the roster has it. */
  readonly isListed: boolean
  readonly presence: Presence
  readonly answer: HostAnswer
  /** Why its state is unknown; absent where it is known. */
  readonly trouble?: string
  /** The machines that report under its name, where a copy of it runs beside it. */
  readonly machines?: readonly Machine[]
  readonly intervalMs: number
  /** When it was last heard of; absent where it never was. */
  readonly heardAtMs?: number
  /** What it says of itself where it sends reports to a server. */
  readonly sender?: SenderInfo
  readonly policies: readonly PolicyState[]
  /** How the text of each policy stood last that was in force before the one that is. */
  readonly earlier: readonly PolicyState[]
  /** Its ring in the roster; absent if missing. */
  readonly ring?: string
  /** Whether its newest run could be performed; absent if missing. */
  readonly isPerformed?: boolean
  /** How much drifts, by severity. */
  readonly drifts: BySeverity
  /** What is not met, worst first; of a host that is not heard, what its last report said. */
  readonly findings: readonly FleetFinding[]
  /** Its last runs, the newest first. */
  readonly runs: readonly RunMark[]
  /** When it went over to which text of a policy, the newest first. */
  readonly texts: readonly TextMark[]
}

/** What a census is made of. */
export interface CensusInput {
  readonly rollup: Rollup
  /** Absent without a list of who should report: then no host can be missing. */
  readonly roster?: Roster
  /** How often a host reports of which the roster does not say it, in milliseconds. */
  readonly intervalMs: number
  readonly nowMs: number
  /** What the operator has signed for hosts; absent where that is unknown. */
  readonly assigned?: AssignedTexts
  /** What hosts are to have while a rollout is under way; absent if missing. */
  readonly due?: DueTexts
  /** What cannot be used: where that is newer than what is known of a host, its state is unknown. */
  readonly unusable: readonly UnusablePlace[]
}

/** All hosts that should report or did, retired ones too, the gravest first. */
export function takeCensus(input: CensusInput): readonly FleetHost[] {
  const { rollup, roster, unusable } = input
  const names = new Set([...(roster?.hosts.keys() ?? []), ...rollup.hosts.keys()])
  // The newest one of each host comes last and stays.
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

/** What cannot be used and may be of a host: the newest of all, and of what others may have made. */
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
  // What the operator has withdrawn counts as long as the host evaluates it nevertheless.
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

/** What was heard before something was assigned had the interval of before, and the next report may come as late as either says. */
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

/** Nearly every host has one policy, and of that all is known already. */
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
  if (presence === 'forged' && first !== undefined) return `a run of ${first.host} lies in its place: ${first.place}`
  if (presence === 'forged' && forged !== undefined) return `possibly forged: ${forged.place}: ${forged.reason}`
  if (presence === 'retired') return undefined
  if (doubt !== undefined && (doubt.storedAtMs ?? Infinity) >= (newest?.storedAtMs ?? 0)) {
    return `what it reported last cannot be used: ${doubt.reason}`
  }
  if (isUnheard(presence)) return UNHEARD[presence]
  return newest?.isPerformed === false ? 'its last run could not be performed' : undefined
}

const UNHEARD: Readonly<Partial<Record<Presence, string>>> = {
  never: 'nothing was ever heard of it',
  silent: 'it has not reported for two intervals',
  outdated: 'what it reports is about an older policy, or not about all of them',
}

/** The gravest first: who is not heard, then what drifts by its severity, then by name. */
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

/** The place of each word in its list: every question sorts all hosts. */
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

/** Those that count: all but retired ones. */
export function activeOf(hosts: readonly FleetHost[]): readonly FleetHost[] {
  return hosts.filter(({ presence }) => presence !== 'retired')
}
