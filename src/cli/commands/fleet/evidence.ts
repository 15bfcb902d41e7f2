import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { whyNoDay } from '../../../model/calendar.ts'
import { OPTIONS } from './options.ts'

const DAY = {
  kind: 'value',
  group: 'Runs:',
  placeholder: 'DAY',
  complain: (text: string) => (whyNoDay(text) === undefined ? undefined : `must be a date: ${whyNoDay(text)}`),
} as const

const EVIDENCE_OPTIONS = {
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

export const evidence: Command = defineCommand({
  name: 'fleet evidence',
  summary: 'Export the signed runs of a host for verification',
  details: `"driftgate scan --history --sign-key FILE" signs runs. Unsigned runs are exported as such. With --context, the signed
messages of the host on the server are exported: full reports, differences and heartbeats. Reports contain everything
found on the host: keep the bundle confidential.`,
  options: EVIDENCE_OPTIONS,
  examples: [
    {
      command: 'driftgate fleet evidence --from /srv/reports --host web01 --since 2026-01-01 > web01.json',
      summary: 'Export a year for an auditor',
    },
    {
      command: 'driftgate fleet evidence --context fleet/viewer/context.json --host web01 > web01.json',
      summary: 'Export from the fleet server',
    },
  ],
  run: async (invocation, io) => (await import('./run-evidence.ts')).runEvidence(invocation, io),
})
