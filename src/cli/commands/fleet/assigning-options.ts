import { readAddressee } from '../../../fleet/nats/names.ts'
import { isSha256 } from '../../../host/signing/digest.ts'
import type { OptionsOf, OptionSpecs } from '../../command.ts'
import { complainOfSince } from '../../options/since.ts'
import { INPUT_OPTIONS } from '../../options/input.ts'
import { complainOfSpan, FLEET_OPTION } from './members-options.ts'

/** Why something is done. */
export const REASON = {
  reason: { kind: 'value', group: 'Record:', placeholder: 'TEXT', summary: 'Why, for the record' },
} as const satisfies OptionSpecs

/** Who does it. */
export const AUTHOR = {
  author: {
    kind: 'value',
    group: 'Record:',
    placeholder: 'NAME',
    summary: 'Who does this, for the record; the user and this machine where it is absent',
  },
} as const satisfies OptionSpecs

/** The options of `driftgate fleet publish`. */
export const PUBLISH_OPTIONS = {
  ...FLEET_OPTION,
  data: {
    ...INPUT_OPTIONS.data,
    summary: 'Check with this data, which the agents of the hosts have by their own --data; it is not published',
  },
  'allow-private': {
    kind: 'list',
    group: 'Bundle:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Pack this private file that the policy names; repeatable',
  },
  'dry-run': { kind: 'flag', group: 'Bundle:', summary: 'List the files of each bundle and publish nothing' },
  ...AUTHOR,
} as const satisfies OptionSpecs

/** The options of `driftgate fleet assign`. */
export const ASSIGN_OPTIONS = {
  ...FLEET_OPTION,
  to: {
    kind: 'value',
    group: 'Assignment:',
    placeholder: 'ADDRESSEE',
    complain: (text) => (readAddressee(text) === undefined ? 'must be ring.NAME or host.NAME' : undefined),
    summary: 'Whom it is for: ring.NAME or host.NAME; for a host that goes before its ring',
  },
  policy: {
    kind: 'list',
    group: 'Assignment:',
    placeholder: 'SHA256',
    complain: (text) => (isSha256(text) ? undefined : 'must be a SHA-256 as "driftgate fleet publish" prints it'),
    summary: 'A bundle on the server; several times for several policies. Whatever is not named is no more in force',
  },
  interval: {
    kind: 'value',
    group: 'Assignment:',
    placeholder: 'DURATION',
    complain: complainOfSpan,
    summary: 'How often hosts scan; what each was enrolled with where it is absent',
  },
  ...REASON,
  ...AUTHOR,
} as const satisfies OptionSpecs

/** The options of `driftgate fleet unpublish`. */
export const UNPUBLISH_OPTIONS = { ...FLEET_OPTION, ...AUTHOR } as const satisfies OptionSpecs

/** The options of `driftgate fleet withdraw`. */
export const WITHDRAW_OPTIONS = { ...FLEET_OPTION, ...REASON, ...AUTHOR } as const satisfies OptionSpecs

/** The options of `driftgate fleet assignments`. */
export const RECORD_OPTIONS = {
  ...FLEET_OPTION,
  format: {
    kind: 'text',
    group: 'Output:',
    placeholder: 'FORMAT',
    choices: ['text', 'json'],
    default: 'text',
    summary: 'Print for people, or for programs',
  },
} as const satisfies OptionSpecs

/** The options of `driftgate fleet audit`. */
export const AUDIT_OPTIONS = {
  ...RECORD_OPTIONS,
  since: {
    kind: 'value',
    group: 'Only:',
    placeholder: 'DURATION|DATE',
    complain: complainOfSince,
    summary: 'Only what was done within this time, or since this day in UTC',
  },
  act: { kind: 'list', group: 'Only:', placeholder: 'WORD', summary: 'Only such acts: enrol, publish, assign' },
  about: {
    kind: 'value',
    group: 'Only:',
    placeholder: 'TEXT',
    summary: 'Only what names this host, this ring or this digest, of which 8 digits are enough',
  },
} as const satisfies OptionSpecs

/** Their values. */
export type PublishFlags = OptionsOf<typeof PUBLISH_OPTIONS>
export type UnpublishFlags = OptionsOf<typeof UNPUBLISH_OPTIONS>
export type AssignFlags = OptionsOf<typeof ASSIGN_OPTIONS>
export type WithdrawFlags = OptionsOf<typeof WITHDRAW_OPTIONS>
export type RecordFlags = OptionsOf<typeof RECORD_OPTIONS>
export type AuditFlags = OptionsOf<typeof AUDIT_OPTIONS>
