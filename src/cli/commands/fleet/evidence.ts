import { type Command, defineCommand } from '../../command.ts'
import { EVIDENCE_OPTIONS } from './evidence-options.ts'

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
