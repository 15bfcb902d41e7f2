import type { Invocation, OptionsOf } from '../../command.ts'
import { SCAN_OPTIONS } from '../../options/scan.ts'

export const OPTIONS = SCAN_OPTIONS

export type ScanInvocation = Invocation<OptionsOf<typeof OPTIONS>>
