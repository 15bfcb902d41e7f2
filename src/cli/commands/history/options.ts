import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { EXTENSION_OPTIONS } from '../../options/extension.ts'
import { complainOfSince } from '../../options/since.ts'

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
    complain: complainOfSince,
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
