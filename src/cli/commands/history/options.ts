import { parseDuration } from '../../../core/duration.ts'
import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { EXTENSION_OPTIONS } from '../../options/extension.ts'

/** What `driftgate history` can do. */
export const ACTIONS = ['list', 'show', 'diff'] as const

/** One of them. */
export type HistoryAction = (typeof ACTIONS)[number]

/** The options of `driftgate history`. */
export const OPTIONS = {
  history: {
    kind: 'value',
    group: 'Runs:',
    placeholder: 'DIR',
    holds: 'path',
    summary: "The directory, as for a scan; the system's or the user's where none is named",
  },
  host: { kind: 'list', group: 'Runs:', placeholder: 'NAME', summary: 'Only of this host; * and ? stand for others' },
  policy: {
    kind: 'list',
    group: 'Runs:',
    placeholder: 'ID',
    summary: 'Only where this policy was evaluated; likewise',
  },
  since: {
    kind: 'value',
    group: 'Runs:',
    placeholder: 'DURATION|DATE',
    complain: (text) =>
      parseSince(text, 0) === undefined ? 'must be a span of time such as 7d, or a date such as 2026-11-20' : undefined,
    summary: 'Only those that started within this time, or since this day in UTC',
  },
  limit: {
    kind: 'value',
    group: 'List:',
    placeholder: 'N',
    complain: (text) => (/^[1-9]\d{0,14}$/.test(text) ? undefined : 'must be a whole number, at least 1'),
    summary: 'How many runs a list shows, the newest first; 20 where it is absent',
  },
  format: {
    kind: 'text',
    group: 'List:',
    placeholder: 'FORMAT',
    choices: ['text', 'json', 'markdown'],
    default: 'text',
    summary: 'Print the list or the difference for people, or for programs; the difference also for a comment',
  },
  report: {
    kind: 'value',
    group: 'Show:',
    placeholder: 'FORMAT[=PATH]',
    summary: 'Show the run in this format of a scan, on standard output or in a file; text where it is absent',
  },
  verbose: {
    kind: 'flag',
    alias: 'v',
    group: 'Show:',
    summary: 'List what is compliant, too, or with diff what is unchanged',
  },
  plugin: EXTENSION_OPTIONS.plugin,
} as const satisfies OptionSpecs

/** Their values. */
export type HistoryFlags = OptionsOf<typeof OPTIONS>

/** What `driftgate history` is asked to do. */
export type HistoryInvocation = Invocation<HistoryFlags>

const DATE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/

/**
 * The moment a text means, in milliseconds since 1970: a span of time before now (`7d`), a date, or a date with a time.
 * What names no zone is in UTC, as everything here is shown. Undefined where it means none.
 */
export function parseSince(text: string, nowMs: number): number | undefined {
  const span = parseDuration(text)
  if (span !== undefined) return nowMs - span
  const [, time, , , zone] = DATE.exec(text) ?? []
  const moment = DATE.test(text) ? Date.parse(time !== undefined && zone === undefined ? `${text}Z` : text) : Number.NaN
  return Number.isNaN(moment) || !isOnCalendar(text) ? undefined : moment
}

/** JavaScript takes the 31st of February for the 3rd of March. */
function isOnCalendar(text: string): boolean {
  const date = text.slice(0, 10)
  const day = Date.parse(date)
  return !Number.isNaN(day) && new Date(day).toISOString().startsWith(date)
}
