import { padColumns, widestOf } from '../../model/columns.ts'
import { dayOfTime } from '../../model/calendar.ts'
import { formatProperty } from '../../model/format-value.ts'
import { isKnown } from '../../model/known.ts'
import { withoutRollUps } from '../../model/roll-up.ts'
import { countOf } from '../../model/count-of.ts'
import { namesOfHost } from '../../model/host-name.ts'
import type { ResourceResult, Run } from '../../model/run.ts'
import type { WaiverRecord, WaiverUse } from '../../model/waiver.ts'
import { concernsHost, resourceMatcher } from '../../model/waiver-match.ts'
import { acceptedBy, daysLeftOf, describeEnd, endOf, list, neededInVain, subjectOf } from '../../model/waiver-words.ts'
import type { Tone } from '../format.ts'
import { originOf } from './origin.ts'
import type { Channel, Row } from './rows.ts'

/** The waivers of a resource: those that accept its drift, and those that no longer do. */
export function waiverRows(
  result: ResourceResult,
  escape: Channel['escape'],
  records: readonly WaiverRecord[] = [],
): readonly Row[] {
  const describe = (use: WaiverUse): string => {
    const { id, covers, approver, ticket, reason, state } = use
    const record = records.find((each) => each.id === id)
    const says = state === 'in-force' ? `accepts ${list(covers)} until ${endOf(use)}` : describeEnd(use, record?.value)
    const left = record === undefined || state === 'lapsed' ? '' : ` (${daysLeftOf(record)})`
    const by = ticket === undefined ? approver : `${approver}, ${ticket}`
    return `${id} ${says}${left}, by ${by}: ${reason}`
  }
  return [...acceptedBy(result), ...neededInVain(result)].map((use) => ({
    label: 'waiver',
    lines: [escape(describe(use))],
  }))
}

/**
 * Waivers that need attention: expired, expiring soon, or unused ones; all with `verbose`. Waivers of other machines
 * are left out.
 */
export function waiverLines(run: Run, verbose: boolean, { escape, paint }: Channel): readonly string[] {
  const rows = (run.waivers ?? []).flatMap((record) => {
    const remark = judge(record, run) ?? (verbose && record.accepted > 0 ? inForce(record) : undefined)
    return remark === undefined ? [] : [{ record, ...remark }]
  })
  if (rows.length === 0) return []
  const wordWidth = widestOf(rows.map(({ word }) => word))
  const idWidth = widestOf(rows.map(({ record }) => escape(record.id)))
  const lines = rows.map(({ record, word, tone, text }) => {
    const { file, line } = record.source
    const place = paint('dim', `${escape(file)}:${line}`)
    const label = paint(tone, word) + ' '.repeat(wordWidth - word.length)
    return `  ${label}  ${padColumns(escape(record.id), idWidth)}  ${escape(text)}  ${place}`
  })
  return [paint('strong', 'waivers'), ...lines]
}

interface Remark {
  readonly word: string
  readonly tone: Tone
  readonly text: string
}

function judge(record: WaiverRecord, run: Run): Remark | undefined {
  const { state, approver, ticket, accepted, expiresSoon } = record
  if (!isForHere(record, run)) return undefined
  const end = `at ${endOf(record)}, ${daysLeftOf(record)}, ${ticket === undefined ? approver : `${approver}, ${ticket}`}`
  if (state === 'expired') return { word: 'expired', tone: 'bad', text: end }
  const needless = accepted > 0 ? undefined : whyNeedless(record, run)
  if (!expiresSoon) return needless
  return { word: 'expires soon', tone: 'warn', text: needless === undefined ? end : `${end}; ${needless.text}` }
}

function inForce(record: WaiverRecord): Remark {
  const { accepted } = record
  const text = `until ${endOf(record)}, ${daysLeftOf(record)}; accepts drift of ${countOf(accepted, 'resource')}`
  return { word: 'in force', tone: 'dim', text }
}

function isForHere(record: WaiverRecord, run: Run): boolean {
  const { policies, target } = run
  const machines = [target, ...policies.map((policy) => originOf(run, policy).target)]
  return machines.some((machine) => namesOfHost(machine).some((name) => concernsHost(record, name)))
}

/** Why a waiver in force accepts nothing; undefined if an interruption leaves that open. */
function whyNeedless(record: WaiverRecord, { policies, run }: Run): Remark | undefined {
  const results = policies.flatMap(({ resources }) => withoutRollUps(resources))
  const uses = results.flatMap(({ waivers = [] }) => waivers)
  const subject = subjectOf(record)
  if (uses.some(({ id, state }) => id === record.id && state === 'lapsed')) {
    return { word: 'lapsed', tone: 'bad', text: `${subject} was accepted, and another value was found` }
  }
  if (run.interrupted) return undefined
  const unused = (text: string): Remark => ({ word: 'unused', tone: 'warn', text })
  if (results.some(resourceMatcher(record))) return unused(`${subject} has not drifted`)
  const { resource, control = '' } = record
  return unused(`nothing that was evaluated ${resource === undefined ? `supports ${control}` : `is ${resource}`}`)
}

/** Why drift is not a failure. */
export interface Excuse {
  readonly kind: 'waived' | 'known'
  /** One sentence without a full stop. Not escaped. */
  readonly text: string
}

/** Why the drift of a resource fails neither the gate nor a report: it is waived, or known from the reference report. */
export function excuseOf(run: Run, result: ResourceResult): Excuse | undefined {
  if (result.verdict === 'waived') return { kind: 'waived', text: waivedBy(result) }
  return isKnown(result) ? { kind: 'known', text: knownSince(run, result) } : undefined
}

export function waiversInForce({ waivers = [] }: ResourceResult): readonly WaiverUse[] {
  return waivers.filter(({ state }) => state === 'in-force')
}

function waivedBy(result: ResourceResult): string {
  const waivers = waiversInForce(result).map(({ expires, approver, reason }) => `${expires} by ${approver}: ${reason}`)
  if (waivers.length === 0) return `waived ${result.message ?? 'without a reason'}`
  return `waived until ${waivers.join('; until ')}`
}

function knownSince({ baseline }: Run, result: ResourceResult): string {
  const day = baseline === undefined ? '' : ` of ${dayOfTime(baseline.startedAt)}`
  const properties = result.drift.map(
    (drift) => formatProperty(drift) + (drift.waiver === undefined ? '' : ` (waived by ${drift.waiver})`),
  )
  return `known since the baseline${day}: ${properties.join(', ')}`
}
