import { readAddressee } from '../../../fleet/nats/names.ts'
import { isSha256 } from '../../../host/signing/digest.ts'
import type { OptionsOf, OptionSpecs } from '../../command.ts'
import { complainOfSince } from '../../options/since.ts'
import { INPUT_OPTIONS } from '../../options/input.ts'
import { complainOfSpan, FLEET_OPTION } from './members-options.ts'

export const REASON = {
  reason: { kind: 'value', group: 'Record:', placeholder: 'TEXT', summary: 'Reason, for the activity log' },
} as const satisfies OptionSpecs

export const AUTHOR = {
  author: {
    kind: 'value',
    group: 'Record:',
    placeholder: 'NAME',
    summary: 'Name for the activity log (default: user and host)',
  },
} as const satisfies OptionSpecs

export const PUBLISH_OPTIONS = {
  ...FLEET_OPTION,
  data: {
    ...INPUT_OPTIONS.data,
    summary: 'Check with this data of the agents (not published)',
  },
  'allow-private': {
    kind: 'list',
    group: 'Bundle:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Pack this private file that the policy names (repeatable)',
  },
  'dry-run': { kind: 'flag', group: 'Bundle:', summary: 'List the files of each bundle without publishing' },
  ...AUTHOR,
} as const satisfies OptionSpecs

export const ASSIGN_OPTIONS = {
  ...FLEET_OPTION,
  to: {
    kind: 'value',
    group: 'Assignment:',
    placeholder: 'ADDRESSEE',
    complain: (text) => (readAddressee(text) === undefined ? 'must be ring.NAME or host.NAME' : undefined),
    summary: 'Addressee: ring.NAME or host.NAME (a host overrides its ring)',
  },
  policy: {
    kind: 'list',
    group: 'Assignment:',
    placeholder: 'SHA256',
    complain: (text) => (isSha256(text) ? undefined : 'must be a SHA-256 as "driftgate fleet publish" prints it'),
    summary: 'Bundle on the server (repeatable; replaces all earlier ones)',
  },
  interval: {
    kind: 'value',
    group: 'Assignment:',
    placeholder: 'DURATION',
    complain: complainOfSpan,
    summary: 'Scan interval of the hosts (default: set at enrolment)',
  },
  ...REASON,
  ...AUTHOR,
} as const satisfies OptionSpecs

export const UNPUBLISH_OPTIONS = { ...FLEET_OPTION, ...AUTHOR } as const satisfies OptionSpecs

export const WITHDRAW_OPTIONS = { ...FLEET_OPTION, ...REASON, ...AUTHOR } as const satisfies OptionSpecs

export const RECORD_OPTIONS = {
  ...FLEET_OPTION,
  format: {
    kind: 'text',
    group: 'Output:',
    placeholder: 'FORMAT',
    choices: ['text', 'json'],
    default: 'text',
    summary: 'Output format',
  },
} as const satisfies OptionSpecs

export const AUDIT_OPTIONS = {
  ...RECORD_OPTIONS,
  since: {
    kind: 'value',
    group: 'Only:',
    placeholder: 'DURATION|DATE',
    complain: complainOfSince,
    summary: 'Show acts within this time, or since this day in UTC',
  },
  act: { kind: 'list', group: 'Only:', placeholder: 'WORD', summary: 'Show only these acts: enrol, publish, assign' },
  about: {
    kind: 'value',
    group: 'Only:',
    placeholder: 'TEXT',
    summary: 'Show only acts on this host, ring or digest (8 digits)',
  },
} as const satisfies OptionSpecs

export type PublishFlags = OptionsOf<typeof PUBLISH_OPTIONS>
export type UnpublishFlags = OptionsOf<typeof UNPUBLISH_OPTIONS>
export type AssignFlags = OptionsOf<typeof ASSIGN_OPTIONS>
export type WithdrawFlags = OptionsOf<typeof WITHDRAW_OPTIONS>
export type RecordFlags = OptionsOf<typeof RECORD_OPTIONS>
export type AuditFlags = OptionsOf<typeof AUDIT_OPTIONS>
