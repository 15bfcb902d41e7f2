import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { EXTENSION_OPTIONS } from '../../options/extension.ts'
import { DETAILS } from '../../options/report-mode.ts'
import { complainOfSince } from '../../options/since.ts'

export const ACTIONS = ['list', 'show', 'diff'] as const

export type HistoryAction = (typeof ACTIONS)[number]

export const OPTIONS = {
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
