import type { OptionSpecs } from '../command.ts'
import { parseKeep } from '../../history/keep.ts'

/** The options of a scan that is to be remembered. */
export const HISTORY_OPTIONS = {
  history: {
    kind: 'optional-text',
    group: 'History:',
    placeholder: 'DIR',
    implied: '',
    holds: 'path',
    summary: "Store the run, whatever comes of it, in a directory, the system's or the user's where none is named",
  },
  keep: {
    kind: 'value',
    group: 'History:',
    placeholder: 'N|DURATION',
    complain: (text) =>
      parseKeep(text) === undefined
        ? 'must be a number of runs such as 30, or a span of time such as 90d or 12w'
        : undefined,
    summary: 'Then remove what --history has stored, but the newest N runs, or those of the last 90d, 12w, 1y',
  },
} as const satisfies OptionSpecs
