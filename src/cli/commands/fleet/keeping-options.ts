import type { OptionsOf, OptionSpecs } from '../../command.ts'
import { AUTHOR, REASON } from './assigning-options.ts'
import { FLEET_OPTION } from './members-options.ts'

export const LEAVE_OPTIONS = { ...FLEET_OPTION, ...REASON, ...AUTHOR } as const satisfies OptionSpecs

export const BACKUP_OPTIONS = {
  ...FLEET_OPTION,
  'passphrase-file': {
    kind: 'value',
    group: 'Backup:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'File with the passphrase in its first line (mode 0600)',
  },
  ...AUTHOR,
} as const satisfies OptionSpecs

export const ROTATE_OPTIONS = {
  ...FLEET_OPTION,
  hosts: { kind: 'flag', group: 'Keys:', summary: 'Replace the keys of all hosts' },
  leaked: { kind: 'flag', group: 'Keys:', summary: 'Reject signatures of the former keys' },
  'leave-hosts': {
    kind: 'flag',
    group: 'Keys:',
    summary: 'Do the last step without hosts that are behind',
  },
  ...AUTHOR,
} as const satisfies OptionSpecs

export const MOVE_OPTIONS = { ...FLEET_OPTION, ...AUTHOR } as const satisfies OptionSpecs

export type RotateFlags = OptionsOf<typeof ROTATE_OPTIONS>
export type MoveFlags = OptionsOf<typeof MOVE_OPTIONS>
export type BackupFlags = OptionsOf<typeof BACKUP_OPTIONS>
export type LeaveFlags = OptionsOf<typeof LEAVE_OPTIONS>
