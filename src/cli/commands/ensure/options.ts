import type { Invocation, OptionsOf } from '../../command.ts'
import { SCAN_OPTIONS } from '../../options/scan.ts'

// There is one resource, and no bundle that could be pinned.
const { only: _only, skip: _skip, checksum: _checksum, ...options } = SCAN_OPTIONS

/** The options of `driftgate ensure`: those of a scan that mean something for one resource. */
export const OPTIONS = options

/** What `driftgate ensure` is asked to do. */
export type EnsureInvocation = Invocation<OptionsOf<typeof OPTIONS>>
