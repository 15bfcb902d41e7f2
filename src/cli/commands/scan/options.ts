import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { CARRY_OPTIONS } from '../../options/carry.ts'
import { SCAN_OPTIONS } from '../../options/scan.ts'
import { TARGET_OPTIONS } from '../../options/target.ts'

const OFFLINE_OPTIONS = {
  'offline-as': {
    kind: 'text',
    group: 'Target:',
    placeholder: 'VERDICT',
    choices: ['error', 'not-applicable'],
    default: 'error',
    summary: 'What a resource becomes that only a running system could answer, of a target that does not run',
  },
} as const satisfies OptionSpecs

/** The options of `driftgate scan`. */
export const OPTIONS = { ...TARGET_OPTIONS, ...OFFLINE_OPTIONS, ...CARRY_OPTIONS, ...SCAN_OPTIONS }

/** What `driftgate scan` is asked to do. */
export type ScanInvocation = Invocation<OptionsOf<typeof OPTIONS>>
