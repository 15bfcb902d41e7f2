import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { EXTENSION_OPTIONS } from '../../options/extension.ts'
import { DETAILS, REPORT_MODE } from '../../options/report-mode.ts'

export const OPTIONS = {
  verbose: { kind: 'flag', alias: 'v', group: 'Output:', summary: 'List compliant resources' },
  ...DETAILS,
  ...REPORT_MODE,
  plugin: EXTENSION_OPTIONS.plugin,
} as const satisfies OptionSpecs

export type ReportInvocation = Invocation<OptionsOf<typeof OPTIONS>>
