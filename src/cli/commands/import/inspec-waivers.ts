import { daysAfter, whyNoDay } from '../../../model/calendar.ts'
import type { Problem } from '../../../model/problem.ts'
import { errorAt, type SourceText } from '../../../policy/document/lines.ts'
import { entriesOf, member, textOf, type TreeNode } from '../../../policy/document/tree.ts'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const TIME = String.raw`(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?`
const NUMBERS = new RegExp(String.raw`^(\d{4})([-/.]?)(\d{1,2})\2(\d{1,2})${TIME}$`, 'i')
const DAY_FIRST = new RegExp(String.raw`^(?:[a-z]+,? +)?(\d{1,2})[- ]([a-z]{3})[a-z]*[- ,]+(\d{4})${TIME}$`, 'i')
const MONTH_FIRST = new RegExp(String.raw`^([a-z]{3})[a-z]* (\d{1,2}),? (\d{4})${TIME}$`, 'i')

/** A date with optional time and zone, as written. */
interface Written {
  readonly day: string
  readonly time: readonly (string | undefined)[]
}

/** Result of an import: undefined if nothing could be converted; otherwise unsupported parts are warnings. */
export interface Imported {
  readonly value: unknown
  readonly problems: readonly Problem[]
}

/** Fields that InSpec waivers lack and driftgate requires. */
export interface WaiverDefaults {
  readonly approver: string | undefined
  readonly expires: string | undefined
}

const FIELDS: ReadonlySet<string> = new Set(['justification', 'expiration_date', 'run', 'control_id'])

/** Converts an InSpec waiver file, a map from control ids, to a driftgate waiver file. */
export function importWaivers(source: SourceText, root: TreeNode, defaults: WaiverDefaults): Imported {
  if (root.kind !== 'map') {
    return {
      value: undefined,
      problems: [errorAt(source, root.offset, 'an InSpec waiver file must be a map from control ids')],
    }
  }
  const problems: Problem[] = []
  const waivers = [...root.entries].flatMap(([control, { keyOffset, value }]) => {
    const tell = (message: string): void =>
      void problems.push({ ...errorAt(source, keyOffset, `${control}: ${message}`), severity: 'warning' })
    const { waiver, problems: own } = readWaiver(control, value, defaults)
    for (const each of own) tell(`not imported: ${each}`)
    if (/^(?:false|no)$/i.test(textOf(member(value, 'run')) ?? '')) {
      tell('run: false is not converted: waived controls are still evaluated')
    }
    for (const name of entriesOf(value).keys()) if (!FIELDS.has(name)) tell(`${name} is not converted`)
    return own.length === 0 ? [waiver] : []
  })
  if (waivers.length > 0 || root.entries.size === 0) return { value: { waivers }, problems }
  return { value: undefined, problems: problems.map((problem) => ({ ...problem, severity: 'error' })) }
}

interface ReadWaiver {
  readonly waiver: Readonly<Record<'id' | 'control' | 'reason' | 'approver' | 'expires', string>>
  /** Reasons why it cannot be converted; empty if it can. */
  readonly problems: readonly string[]
}

function readWaiver(control: string, value: TreeNode, { approver, expires: usual }: WaiverDefaults): ReadWaiver {
  const reason = textOf(member(value, 'justification')) ?? ''
  const written = textOf(member(value, 'expiration_date')) ?? ''
  const last = written === '' ? usualEnd(usual) : lastDayOf(written)
  const problems = [
    reason === '' && 'missing justification',
    approver === undefined && 'missing approver: set --approver NAME, which InSpec files do not contain',
    'problem' in last && `${written === '' ? '' : 'expiration_date: '}${last.problem}`,
    /[*?#]/.test(control) && '*, ? and # have another meaning in a driftgate waiver',
  ]
  const expires = 'day' in last ? last.day : ''
  return {
    waiver: { id: control, control, reason, approver: approver ?? '', expires },
    problems: problems.filter((problem) => problem !== false),
  }
}

function usualEnd(usual: string | undefined): ReturnType<typeof lastDayOf> {
  if (usual === undefined) return { problem: 'missing expiry date: set --expires YYYY-MM-DD' }
  const problem = whyNoDay(usual)
  return problem === undefined ? { day: usual } : { problem: `--expires: ${problem}` }
}

/**
 * Last whole day on which an InSpec waiver with this `expiration_date` is valid: it expires at that moment, and a date
 * alone means its start. Accepts the unambiguous formats of Ruby's `Time.parse`; returns a problem for all others.
 *
 * @see https://github.com/inspec/inspec, lib/inspec/rule.rb
 */
function lastDayOf(text: string): { readonly day: string } | { readonly problem: string } {
  const written = readDay(text.trim())
  if (written === undefined) return { problem: 'a date is written as 2026-12-31' }
  const problem = whyNoDay(written.day)
  return problem === undefined ? { day: daysAfter(inUtc(written), -1) } : { problem }
}

function readDay(text: string): Written | undefined {
  const [, year, , month, day, ...time] = NUMBERS.exec(text) ?? []
  if (year !== undefined) return { day: formatIsoDate(year, month, day), time }
  const [, dayFirst, monthWord = '', itsYear, ...itsTime] = DAY_FIRST.exec(text) ?? []
  if (itsYear !== undefined) return { day: formatIsoDate(itsYear, monthOf(monthWord), dayFirst), time: itsTime }
  const [, word = '', daySecond, lastYear, ...lastTime] = MONTH_FIRST.exec(text) ?? []
  return lastYear === undefined ? undefined : { day: formatIsoDate(lastYear, monthOf(word), daySecond), time: lastTime }
}

function formatIsoDate(year: string, month = '', day = ''): string {
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}

function monthOf(word: string): string {
  return String(MONTHS.indexOf(word.toLowerCase()) + 1)
}

/** A time without a zone is in InSpec's local time, so its date is used. */
function inUtc({ day, time: [hours, minutes = '00', , zone] }: Written): string {
  const [, sign, offsetHours, offsetMinutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone ?? '') ?? []
  if (hours === undefined || sign === undefined) return day
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -1 : 1)
  const minutesOfDay = Number(hours) * 60 + Number(minutes) - offset
  return daysAfter(day, Math.floor(minutesOfDay / (24 * 60)))
}
