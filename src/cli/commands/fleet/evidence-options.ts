import { whyNoDay } from '../../../model/calendar.ts'
import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { OPTIONS } from './options.ts'

const DAY = {
  kind: 'value',
  group: 'Runs:',
  placeholder: 'DAY',
  complain: (text: string) => (whyNoDay(text) === undefined ? undefined : `must be a date: ${whyNoDay(text)}`),
} as const

export const EVIDENCE_OPTIONS = {
  from: {
    kind: 'value',
    group: 'Runs:',
    placeholder: 'DIR',
    holds: 'path',
    summary: 'Directory with the histories of all hosts, or of one',
  },
  context: { ...OPTIONS.context, group: 'Runs:' },
  roster: {
    ...OPTIONS.roster,
    group: 'Runs:',
    summary: 'List of hosts and keys, to detect forged messages (with --context)',
  },
  host: {
    kind: 'value',
    group: 'Runs:',
    placeholder: 'NAME',
    summary: 'Host name as in its reports (with --context: as enrolled)',
  },
  since: { ...DAY, summary: 'First day in UTC (default: no limit)' },
  until: { ...DAY, summary: 'Last day in UTC (default: no limit)' },
} as const satisfies OptionSpecs

export type EvidenceInvocation = Invocation<OptionsOf<typeof EVIDENCE_OPTIONS>>
