import type { OptionsOf, OptionSpecs } from '../command.ts'

/** Three octal digits with or without a leading zero: the owner reads and writes, others read or write. */
const MODE = /^0?6[0246]{2}$/

/** The option of every command that writes reports. */
export const REPORT_MODE = {
  'report-mode': {
    kind: 'value',
    group: 'Reports:',
    placeholder: 'MODE',
    summary: 'Mode of report files (default: 0600 if they can show file contents)',
    complain: (text: string) =>
      MODE.test(text) ? undefined : 'must be permissions of a file such as 0600, 0640 or 0644',
  },
} as const satisfies OptionSpecs

/** The permissions that the operator chose for report files. */
export function reportMode({ 'report-mode': mode }: OptionsOf<typeof REPORT_MODE>): number | undefined {
  return mode === undefined ? undefined : Number.parseInt(mode, 8)
}
