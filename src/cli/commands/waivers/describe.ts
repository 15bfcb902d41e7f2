import { padColumns, widestOf } from '../../../model/columns.ts'
import { countOf } from '../../../model/count-of.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import type { Problem } from '../../../model/problem.ts'
import { toSafeJson } from '../../../model/safe-json.ts'
import { waiverRecords } from '../../../model/waiver-match.ts'
import { daysLeftOf, endOf, subjectOf } from '../../../model/waiver-words.ts'
import type { Waiver, WaiverRecord } from '../../../model/waiver.ts'
import type { Tone } from '../../../report/format.ts'
import type { Paint } from '../../output/color.ts'

/** Date on which waivers are judged. */
export interface WaiverDay {
  /** In UTC, `YYYY-MM-DD`. */
  readonly today: string
  readonly warnDays: number
}

/** Output of `waivers check` for valid files: the number of waivers per file, and those expired or expiring soon. */
export function checkedWaivers(
  waivers: readonly Waiver[],
  files: readonly string[],
  day: WaiverDay,
): { readonly summary: string; readonly warnings: readonly Problem[] } {
  const records = recordsOf(waivers, day)
  const lines = files.map((file) => {
    const own = records.filter(({ source }) => source.file === file)
    const ended = own.filter(({ state }) => state === 'expired').length
    const count = countOf(own.length, 'waiver')
    return `${escapeForTerminal(file)}: valid, ${count}${ended === 0 ? '' : ` (${ended} expired)`}\n`
  })
  const warnings = records.flatMap((record): readonly Problem[] => {
    const { state, expiresSoon, id, source: position } = record
    if (state === 'in-force' && !expiresSoon) return []
    const message =
      state === 'expired'
        ? `waiver ${id} expired at ${endOf(record)}, ${daysLeftOf(record)}`
        : `waiver ${id} expires at ${endOf(record)}, ${daysLeftOf(record)}`
    return [{ message, position, severity: 'warning' }]
  })
  return { summary: lines.join(''), warnings }
}

/** Waivers as a table, earliest end first. */
export function listedWaivers(waivers: readonly Waiver[], day: WaiverDay, paint: Paint): string {
  const records = recordsOf(waivers, day).toSorted((left, right) => compare(left.expires, right.expires))
  if (records.length === 0) return 'no waivers\n'
  const rows = records.map((record) => [
    record.id,
    subjectOf(record),
    record.host ?? '*',
    record.expires,
    daysLeftOf(record),
    record.approver,
    record.ticket ?? '-',
    record.reason,
  ])
  const cells = [HEADINGS, ...rows].map((row) => row.map(escapeForTerminal))
  const widths = HEADINGS.map((_, column) => widestOf(cells.map((row) => row[column] ?? '')))
  const lines = cells.map((row) => row.map((cell, column) => padColumns(cell, widths[column] ?? 0)).join('  '))
  return lines.map((line, index) => `${paint(toneOf(records[index - 1]), line.trimEnd())}\n`).join('')
}

const HEADINGS = ['ID', 'ACCEPTS', 'HOST', 'EXPIRES', 'LEFT', 'APPROVER', 'TICKET', 'REASON']

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

function toneOf(record: WaiverRecord | undefined): Tone {
  if (record === undefined) return 'strong'
  if (record.state === 'expired') return 'bad'
  return record.expiresSoon ? 'warn' : 'dim'
}

/** Waivers as JSON, in the given order. */
export function waiversJson(waivers: readonly Waiver[], day: WaiverDay): string {
  const listed = recordsOf(waivers, day).map(({ accepted: _accepted, ...record }) => record)
  return `${toSafeJson({ waivers: listed }, 2)}\n`
}

function recordsOf(waivers: readonly Waiver[], day: WaiverDay): readonly WaiverRecord[] {
  return waiverRecords(waivers, [], day)
}
