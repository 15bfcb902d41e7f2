import type { OptionsOf, OptionSpecs } from '../../command.ts'
import { AUTHOR, REASON } from './assigning-options.ts'
import { FLEET_OPTION } from './members-options.ts'

/** The options of `driftgate fleet revoke` and `driftgate fleet retire`. */
export const LEAVE_OPTIONS = { ...FLEET_OPTION, ...REASON, ...AUTHOR } as const satisfies OptionSpecs

/** Their values. */
export type LeaveFlags = OptionsOf<typeof LEAVE_OPTIONS>
