import type { Invocation, OptionsOf } from '../../command.ts'
import { SCAN_OPTIONS } from '../../options/scan.ts'

/** The options of `driftgate scan`. */
export const OPTIONS = SCAN_OPTIONS

/** What `driftgate scan` is asked to do. */
export type ScanInvocation = Invocation<OptionsOf<typeof OPTIONS>>
