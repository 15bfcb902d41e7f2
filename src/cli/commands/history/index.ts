import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { EXTENSION_OPTIONS } from '../../options/extension.ts'
import { DETAILS } from '../../options/report-mode.ts'
import { complainOfSince } from '../../options/since.ts'

export const ACTIONS = ['list', 'show', 'diff'] as const

export type HistoryAction = (typeof ACTIONS)[number]

const OPTIONS = {
  history: {
    kind: 'value',
    group: 'Runs:',
    placeholder: 'DIR',
    holds: 'path',
    summary: 'Directory of saved runs (default: the state directory)',
  },
  host: { kind: 'list', group: 'Runs:', placeholder: 'NAME', summary: 'Show only runs of matching hosts (* and ?)' },
  policy: {
    kind: 'list',
    group: 'Runs:',
    placeholder: 'ID',
    summary: 'Show only runs of matching policies (* and ?)',
  },
  since: {
    kind: 'value',
    group: 'Runs:',
    placeholder: 'DURATION|DATE',
    complain: complainOfSince,
    summary: 'Show only runs within this time, or since this day in UTC',
  },
  limit: {
    kind: 'value',
    group: 'List:',
    placeholder: 'N',
    complain: (text) => (/^[1-9]\d{0,14}$/.test(text) ? undefined : 'must be a whole number, at least 1'),
    summary: 'Number of runs to list, newest first (default: 20)',
  },
  format: {
    kind: 'text',
    group: 'List:',
    placeholder: 'FORMAT',
    choices: ['text', 'json', 'markdown'],
    default: 'text',
    summary: 'Output format of list and diff',
  },
  report: {
    kind: 'value',
    group: 'Show:',
    placeholder: 'FORMAT[=PATH]',
    summary: 'Render the run in this format to PATH or stdout (default: text)',
  },
  details: { ...DETAILS.details, group: 'Show:' },
  verbose: {
    kind: 'flag',
    alias: 'v',
    group: 'Show:',
    summary: 'List compliant resources, or with diff unchanged drift',
  },
  plugin: EXTENSION_OPTIONS.plugin,
} as const satisfies OptionSpecs

export type HistoryFlags = OptionsOf<typeof OPTIONS>

export type HistoryInvocation = Invocation<HistoryFlags>

export const history: Command = defineCommand({
  name: 'history',
  summary: 'List saved runs with their trend, show one, or compare two',
  details: `history list         List runs with their counts and trend (default)
history show RUN     Show the report of a run in any format
history diff RUN RUN Compare two runs

--host, --policy and --since also limit RUN. "driftgate scan --history" saves runs. Damaged files are reported
on standard error and skipped.

Exit codes
  0  runs listed or shown; with diff, no new or changed drift
  1  a run does not exist or cannot be read
  2  with diff, new or changed drift
  3  with diff, no such drift, but incomparable results`,
  operands: {
    name: 'RUN',
    actions: ACTIONS,
    summary: 'the start of an id, latest, or latest~1 for the one before',
    atLeast: 0,
    atMost: 3,
  },
  options: OPTIONS,
  examples: [
    { command: 'driftgate history', summary: 'List recent runs' },
    { command: 'driftgate history show latest --report html=drift.html', summary: 'Render the latest run as HTML' },
    { command: 'driftgate history diff latest~1 latest', summary: 'Compare the two latest runs' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runHistory(invocation, io),
})
