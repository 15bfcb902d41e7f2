import { whyNoDay } from '../../../model/calendar.ts'
import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { OPTIONS } from './options.ts'

const DAY = {
  kind: 'value',
  group: 'Runs:',
  placeholder: 'DAY',
  complain: (text: string) => (whyNoDay(text) === undefined ? undefined : `must be a day: ${whyNoDay(text)}`),
} as const

/** The options of `driftgate fleet evidence`. */
export const EVIDENCE_OPTIONS = {
  from: {
    kind: 'value',
    group: 'Runs:',
    placeholder: 'DIR',
    holds: 'path',
    summary: 'The directory with the histories of all hosts, or that of one',
  },
  context: { ...OPTIONS.context, group: 'Runs:' },
  roster: {
    ...OPTIONS.roster,
    group: 'Runs:',
    summary: 'With --context: tells what the key that the roster has of the host has not signed',
  },
  host: {
    kind: 'value',
    group: 'Runs:',
    placeholder: 'NAME',
    summary: 'The host, as its reports call it; with --context as it was enrolled',
  },
  since: { ...DAY, summary: 'The first day, in UTC; everything before the last day where it is absent' },
  until: { ...DAY, summary: 'The last day, to its end in UTC; everything where it is absent' },
} as const satisfies OptionSpecs

/** What `driftgate fleet evidence` is asked to do. */
export type EvidenceInvocation = Invocation<OptionsOf<typeof EVIDENCE_OPTIONS>>
