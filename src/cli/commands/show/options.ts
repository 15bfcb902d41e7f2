import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { SCAN_OPTIONS } from '../../options/scan.ts'

const { report, verbose, quiet, 'report-mode': reportMode } = SCAN_OPTIONS

export const OPTIONS = { report, 'report-mode': reportMode, verbose, quiet } as const satisfies OptionSpecs

export type ShowInvocation = Invocation<OptionsOf<typeof OPTIONS>>
