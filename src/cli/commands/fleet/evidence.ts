import { type Command, defineCommand } from '../../command.ts'
import { EVIDENCE_OPTIONS } from './evidence-options.ts'

/** `driftgate fleet evidence`: what a third party can verify of a host. */
export const evidence: Command = defineCommand({
  name: 'fleet evidence',
  summary: 'Print the signed runs of a host with their reports, for "driftgate evidence verify"',
  details: `"driftgate scan --history --sign-key FILE" signs runs when it stores them. Runs that were never signed are handed
over as such. With --context it is what the host has sent to its server, each message as the host has signed it: whole reports,
what differs from them, and that nothing does. The reports hold all that was found on the host: hand the bundle to nobody who must not know it.`,
  options: EVIDENCE_OPTIONS,
  examples: [
    {
      command: 'driftgate fleet evidence --from /srv/reports --host web01 --since 2026-01-01 > web01.json',
      summary: 'What an auditor gets of this year',
    },
    {
      command: 'driftgate fleet evidence --context fleet/viewer/context.json --host web01 > web01.json',
      summary: 'The same of a host that sends its runs to a server',
    },
  ],
  run: async (invocation, io) => (await import('./run-evidence.ts')).runEvidence(invocation, io),
})
