import { type Command, defineCommand, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { usageError } from '../../errors.ts'
import { EXTENSION_OPTIONS } from '../../options/extension.ts'
import { parseSince } from './since.ts'

const ACTIONS = ['list', 'show', 'diff'] as const

/** What `driftgate history` can do. */
export type HistoryAction = (typeof ACTIONS)[number]

/** How many runs each action wants to be told. */
const RUNS: Readonly<Record<HistoryAction, number>> = { list: 0, show: 1, diff: 2 }

const options = {
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

/** The options of `driftgate history`. */
export type HistoryCommandFlags = OptionsOf<typeof options>

/** `driftgate history`: what scans with `--history` have stored. */
export const history: Command = defineCommand({
  name: 'history',
  summary: 'List stored runs with their trend, show one again, or compare two',
  details: `history list         The runs with their counts, and a line that shows how they went. The default
history show RUN     The report of a run, in any format
history diff RUN RUN What changed from the first run to the second

With --host, --policy and --since, RUN is one of the runs they choose. "driftgate scan --history"
stores runs. Damaged files are named on standard error and passed over.

Exit codes
  0  the runs were listed or shown, whatever they say; with diff nothing is new or changed
  1  a run is not there or cannot be read
  2  with diff: something is new or changed
  3  with diff: nothing is, but something is incomparable`,
  operands: {
    name: 'RUN',
    actions: ACTIONS,
    summary: 'the beginning of an id, latest, or latest~1 for the one before',
    atLeast: 0,
    atMost: 3,
  },
  options,
  examples: [
    { command: 'driftgate history', summary: 'What scheduled audits have found lately' },
    { command: 'driftgate history show latest --report html=drift.html', summary: 'A page of the newest run' },
    { command: 'driftgate history diff latest~1 latest', summary: 'What is new since the run before' },
  ],
  async run({ operands, options: given }, io) {
    const [word, ...runs] = operands
    const action = ACTIONS.find((known) => known === word) ?? 'list'
    if (runs.length !== RUNS[action]) throw usageError(wrongNumber(action, runs), 'history')
    rejectForeign(action, given)
    const { performHistory } = await import('./run.ts')
    return performHistory({ action, runs, options: given }, io)
  },
})

function wrongNumber(action: HistoryAction, runs: readonly string[]): string {
  const wanted = RUNS[action]
  const extra = runs[wanted]
  if (extra !== undefined) return `unexpected argument "${extra}" behind history ${action}`
  return `history ${action} needs ${wanted === 1 ? 'a run' : 'two runs'}: ids as "driftgate history" lists them, or latest`
}

/** The options that only some actions know. */
const KNOWN_TO: Readonly<Record<'limit' | 'format' | 'report' | 'verbose', readonly HistoryAction[]>> = {
  limit: ['list'],
  format: ['list', 'diff'],
  report: ['show'],
  verbose: ['show', 'diff'],
}

/** An option that does nothing is a mistake somebody would like to know of. */
function rejectForeign(action: HistoryAction, { limit, report, verbose, format }: HistoryCommandFlags): void {
  const isGiven = { limit: limit !== undefined, report: report !== undefined, verbose, format: format !== 'text' }
  for (const name of ['limit', 'format', 'report', 'verbose'] as const) {
    const actions = KNOWN_TO[name]
    if (!isGiven[name] || actions.includes(action)) continue
    throw usageError(`--${name} is for history ${actions.join(' and ')}, not for ${action}`, 'history')
  }
  if (action === 'list' && format === 'markdown') throw usageError('--format markdown is for history diff', 'history')
}
