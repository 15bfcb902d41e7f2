import { defined } from './defined.ts'
import { daysBetween } from './calendar.ts'
import type { Drift, ReportValue } from './drift.ts'
import { formatProperty } from './format-value.ts'
import { withoutRollUps } from './roll-up.ts'
import type { ReportedDrift, ResourceResult } from './run.ts'
import { globMatcher } from './selection.ts'
import type { Waiver, WaiverRecord, WaiverScope, WaiverState, WaiverUse } from './waiver.ts'

export interface WaiverSetting {
  /** The names of the machine: its hostname and the operator's name for it. */
  readonly hosts: readonly string[]
  /** The day in UTC, `YYYY-MM-DD`. */
  readonly today: string
  /** Number of days before the last day of a waiver from which it is reported to expire soon. */
  readonly warnDays: number
}

export interface WaiverMatch {
  /** The drift; each accepted drift has the id of its waiver. */
  readonly drift: readonly ReportedDrift[]
  /** The waivers that concern the drift, in their original order; a waiver with two states is listed twice. */
  readonly uses: readonly WaiverUse[]
}

export type WaiverSubject = Pick<ResourceResult, 'id' | 'type' | 'name' | 'alias' | 'controls'>

export type WaiverMatcher = (subject: WaiverSubject & { readonly drift: readonly ReportedDrift[] }) => WaiverMatch

/** Prepares waivers for one machine on one day. Each drift is accepted separately, by the waiver in force that expires last. */
export function waiverMatcher(waivers: readonly Waiver[], { hosts, today }: WaiverSetting): WaiverMatcher {
  const prepared = waivers
    .filter((waiver) => hosts.some((host) => concernsHost(waiver, host)))
    .map((waiver) => prepare(waiver, today))
  return (subject) => {
    const concerned = prepared.filter(({ concerns }) => concerns(subject))
    if (concerned.length === 0) return { drift: subject.drift, uses: [] }
    const found = subject.drift.map((drift) => ({ drift, states: statesOf(drift, concerned) }))
    return {
      drift: found.map(({ drift, states }) => acceptDrift(drift, states)),
      uses: concerned.flatMap(({ waiver }) => usesOf(waiver, found)),
    }
  }
}

/** Whether a waiver applies to a host name. Case is ignored. */
export function concernsHost({ host }: WaiverScope, hostname: string): boolean {
  return host === undefined || globMatcher(host.toLowerCase())(hostname.toLowerCase())
}

/** Makes a test whether a waiver applies to a resource: by its id, or by a control it supports. */
export function resourceMatcher({ resource, control }: WaiverScope): (subject: WaiverSubject) => boolean {
  const isResource = resource === undefined ? undefined : globMatcher(resource)
  const isControl = control === undefined ? undefined : globMatcher(control)
  return ({ id, type, name, alias, controls }) => {
    const ids = [id, `${type}#${name}`, ...(alias === undefined ? [] : [`${type}#${alias}`])]
    return (isResource !== undefined && ids.some(isResource)) || (isControl !== undefined && controls.some(isControl))
  }
}

/** The waivers of a run with their usage in its results. */
export function waiverRecords(
  waivers: readonly Waiver[],
  results: readonly ResourceResult[],
  { today, warnDays }: Omit<WaiverSetting, 'hosts'>,
): readonly WaiverRecord[] {
  const accepting = withoutRollUps(results).flatMap(({ waivers: uses = [] }) => {
    return [...new Set(uses.filter(({ state }) => state === 'in-force').map(({ id }) => id))]
  })
  return waivers.map((waiver) => {
    const daysLeft = daysBetween(today, waiver.expires)
    return {
      ...waiver,
      state: daysLeft < 0 ? 'expired' : 'in-force',
      daysLeft,
      expiresSoon: daysLeft >= 0 && daysLeft <= warnDays,
      accepted: accepting.filter((id) => id === waiver.id).length,
    }
  })
}

interface Prepared {
  readonly waiver: Waiver
  readonly concerns: (subject: WaiverSubject) => boolean
  /** The state of the waiver for a drift of such a resource; undefined if it is about another property. */
  readonly stateFor: (drift: Drift) => WaiverState | undefined
}

function prepare(waiver: Waiver, today: string): Prepared {
  const isProperty = waiver.property === undefined ? () => true : globMatcher(waiver.property)
  const isOver = waiver.expires < today
  const { value } = waiver
  return {
    waiver,
    concerns: resourceMatcher(waiver),
    stateFor(drift) {
      if (!isProperty(drift.property) && !isProperty(formatProperty(drift))) return undefined
      if (value !== undefined && !isFound(value, drift)) return 'lapsed'
      return isOver ? 'expired' : 'in-force'
    },
  }
}

/** Whether a waiver names the observed value; a value that is shown in part is compared by digest. */
function isFound(value: string, { observed, observedDigest }: Drift): boolean {
  if (observedDigest === undefined) return isValue(value, observed)
  return value.toLowerCase().replace(/^sha256:/, '') === observedDigest
}

/** Whether a value is the one that a waiver names: as in reports, but with the complete digest. */
function isValue(wanted: string, observed: ReportValue): boolean {
  if (observed === null) return wanted === 'nothing'
  if (typeof observed !== 'object') return wanted === String(observed)
  if ('redacted' in observed) return wanted === observed.digest
  return 'sha256' in observed && wanted.toLowerCase().replace(/^sha256:/, '') === observed.sha256
}

interface WaiverWithState {
  readonly waiver: Waiver
  readonly state: WaiverState
}

function statesOf(drift: Drift, concerned: readonly Prepared[]): readonly WaiverWithState[] {
  return concerned.flatMap(({ waiver, stateFor }) => {
    const state = stateFor(drift)
    return state === undefined ? [] : [{ waiver, state }]
  })
}

function acceptDrift(drift: ReportedDrift, states: readonly WaiverWithState[]): ReportedDrift {
  const [first, ...others] = states.filter(({ state }) => state === 'in-force').map(({ waiver }) => waiver)
  if (first === undefined) return drift
  return { ...drift, waiver: others.reduce((best, each) => (each.expires > best.expires ? each : best), first).id }
}

function usesOf(
  waiver: Waiver,
  found: readonly { readonly drift: Drift; readonly states: readonly WaiverWithState[] }[],
): readonly WaiverUse[] {
  const { id, reason, approver, expires, created, ticket } = waiver
  const covers = new Map<WaiverState, Set<string>>()
  for (const { drift, states } of found) {
    const state = states.find((stated) => stated.waiver === waiver)?.state
    if (state !== undefined) covers.set(state, (covers.get(state) ?? new Set()).add(drift.property))
  }
  return [...covers].map(([state, properties]) => ({
    id,
    reason,
    approver,
    expires,
    ...defined({ created, ticket }),
    state,
    covers: [...properties],
  }))
}
