import type { OptionsOf, OptionSpecs } from '../command.ts'

/** Octal modes, with or without a leading zero: read and write for the owner, read or write for others. */
const MODE = /^0?6[0246]{2}$/

/** Option of commands that write reports. */
export const REPORT_MODE = {
  'report-mode': {
    kind: 'value',
    group: 'Reports:',
    placeholder: 'MODE',
    summary: 'Mode of report files (default: 0600 if they can show file contents)',
    complain: (text: string) => (MODE.test(text) ? undefined : 'must be a file mode such as 0600, 0640 or 0644'),
  },
} as const satisfies OptionSpecs

/** Option of commands that print a report. */
export const DETAILS = {
  details: { kind: 'flag', group: 'Reports:', summary: 'List the resources of a long text report, too' },
} as const satisfies OptionSpecs

/** Mode of report files. */
export function reportMode({ 'report-mode': mode }: OptionsOf<typeof REPORT_MODE>): number | undefined {
  return mode === undefined ? undefined : Number.parseInt(mode, 8)
}
