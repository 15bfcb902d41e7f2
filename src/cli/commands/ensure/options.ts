import type { Invocation, OptionsOf } from '../../command.ts'
import { SCAN_OPTIONS } from '../../options/scan.ts'

// There is a single resource, and no bundle to pin.
const { only: _only, skip: _skip, checksum: _checksum, ...options } = SCAN_OPTIONS

export const OPTIONS = options

export type EnsureInvocation = Invocation<OptionsOf<typeof OPTIONS>>
