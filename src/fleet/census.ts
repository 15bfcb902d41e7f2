import { dayOfTime } from '../core/calendar.ts'
import { defined } from '../core/defined.ts'
import { SEVERITIES, type Severity } from '../core/verdict.ts'
import { type Standing, STANDINGS } from '../report/words/requirements.ts'
import { heardAt, isUnheard, type Presence, presenceOf, PRESENCES } from './presence.ts'
import type { HostState, PolicyState, Rollup } from './rollup.ts'
import type { Roster, RosterHost } from './roster.ts'

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
  /** Why nobody knows how it stands; absent where somebody does. */
  readonly trouble?: string
  readonly intervalMs: number
  /** When it was last heard of; absent where it never was. */
  readonly heardAtMs?: number
  readonly policies: readonly PolicyState[]
  /** How much drifts, by severity. */
  readonly drifts: Readonly<Record<Severity, number>>
  /** What is not met, worst first; of a host that is not heard, what its last report said. */
  readonly findings: readonly FleetFinding[]
}

/** Something a policy asks for that is not met on a host. */
export interface FleetFinding {
  readonly policy: string
  readonly name: string
  readonly kind: 'control' | 'resource'
  readonly title?: string
  readonly severity: Severity
  readonly standing: Exclude<Standing, 'met'>
  readonly sinceMs: number
}

/** What a census is made of. */
export interface CensusInput {
  readonly rollup: Rollup
  /** Absent where nobody said who should report: then nobody can be missing. */
  readonly roster?: Roster
  /** How often a host reports of which the roster does not say it, in milliseconds. */
  readonly intervalMs: number
  readonly nowMs: number
}

/** All hosts that should report or did, retired ones too, the gravest first. */
export function takeCensus(input: CensusInput): readonly FleetHost[] {
  const { rollup, roster } = input
  const names = new Set([...(roster?.hosts.keys() ?? []), ...rollup.hosts.keys()])
  return [...names].map((name) => hostOf(name, input)).toSorted(compareHosts)
}

function hostOf(name: string, input: CensusInput): FleetHost {
  const { rollup, roster, nowMs } = input
  const listed = roster?.hosts.get(name)
  const state: HostState = rollup.hosts.get(name) ?? { name, policies: new Map(), foreign: [] }
  const { newest } = state
  const intervalMs = listed?.intervalMs ?? roster?.intervalMs ?? input.intervalMs
  const policies = [...state.policies.values()].filter(({ id }) => roster?.policies.get(id) !== 'retired')
  const presence = presenceOf({
    nowMs,
    intervalMs,
    isRetired: isRetired(listed, nowMs),
    isForged: state.foreign.length > 0,
    ...defined({ newest }),
    behindSinceMs: policies.flatMap((policy) => behindSince(policy, { intervalMs, input }) ?? []),
  })
  const findings = policies.flatMap(findingsOf).toSorted(compareFindings)
  const trouble = troubleOf(state, presence)
  return {
    name,
    labels: listed?.labels ?? {},
    isListed: roster === undefined || listed !== undefined,
    presence,
    answer: trouble === undefined ? answerOf(findings, policies) : 'undecided',
    ...defined({ trouble, heardAtMs: newest && heardAt(newest) }),
    intervalMs,
    policies,
    drifts: driftsOf(findings),
    findings,
  }
}

function isRetired(listed: RosterHost | undefined, nowMs: number): boolean {
  return listed?.retired !== undefined && listed.retired <= dayOfTime(new Date(nowMs).toISOString())
}

/**
 * Since when a policy is behind, so that two intervals of its host later it is outdated: hosts have gone over to another text,
 * or this host evaluates it no longer as often as it should.
 */
function behindSince(
  policy: PolicyState,
  { intervalMs, input }: { readonly intervalMs: number; readonly input: CensusInput },
): number | undefined {
  const { rollup, roster, nowMs } = input
  const own = roster?.policies.get(policy.id)
  // Its own two intervals are counted here, those of the host by whoever asks.
  const dueMs = policy.evaluatedAtMs + 2 * ((typeof own === 'number' ? own : intervalMs) - intervalMs)
  const since = [rollup.leftSince(policy), dueMs < nowMs ? dueMs : undefined].filter((each) => each !== undefined)
  return since.length === 0 ? undefined : Math.min(...since)
}

function findingsOf({ id, asked, unmet }: PolicyState): readonly FleetFinding[] {
  return [...unmet].map(([name, { standing, severity, sinceMs }]) => {
    const about = asked.get(name)
    return {
      policy: id,
      name,
      kind: about?.kind ?? 'resource',
      ...defined({ title: about?.title }),
      severity,
      standing,
      sinceMs,
    }
  })
}

function answerOf(findings: readonly FleetFinding[], policies: readonly PolicyState[]): HostAnswer {
  if (findings.some(({ standing }) => standing === 'drifted')) return 'drifted'
  const isEmpty = policies.every(({ asked, unmet }) => asked.size === [...unmet.values()].filter(isNotAsked).length)
  return isEmpty || findings.some(({ standing }) => standing === 'undecided') ? 'undecided' : 'compliant'
}

function isNotAsked({ standing }: Pick<FleetFinding, 'standing'>): boolean {
  return standing === 'not-applicable'
}

function troubleOf({ newest, foreign }: HostState, presence: Presence): string | undefined {
  const [first] = foreign
  if (presence === 'forged' && first !== undefined) return `a run of ${first.host} lies in its place: ${first.place}`
  if (presence === 'retired') return undefined
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
    PRESENCES.indexOf(left.presence) - PRESENCES.indexOf(right.presence) ||
    ANSWERS.indexOf(left.answer) - ANSWERS.indexOf(right.answer) ||
    compareCounts(left, right) ||
    (left.name < right.name ? -1 : 1)
  )
}

const GRAVEST_FIRST = SEVERITIES.toReversed()

function compareCounts(left: FleetHost, right: FleetHost): number {
  const differing = GRAVEST_FIRST.find((severity) => left.drifts[severity] !== right.drifts[severity])
  return differing === undefined ? 0 : right.drifts[differing] - left.drifts[differing]
}

function driftsOf(findings: readonly FleetFinding[]): Readonly<Record<Severity, number>> {
  const drifts: Record<Severity, number> = { info: 0, low: 0, medium: 0, high: 0, critical: 0 }
  for (const { standing, severity } of findings) if (standing === 'drifted') drifts[severity]++
  return drifts
}

function compareFindings(left: FleetFinding, right: FleetFinding): number {
  return (
    STANDINGS.indexOf(left.standing) - STANDINGS.indexOf(right.standing) ||
    SEVERITIES.indexOf(right.severity) - SEVERITIES.indexOf(left.severity) ||
    (left.name < right.name ? -1 : left.name > right.name ? 1 : 0)
  )
}

/** Those that count: all but retired ones. */
export function activeOf(hosts: readonly FleetHost[]): readonly FleetHost[] {
  return hosts.filter(({ presence }) => presence !== 'retired')
}
