import { type Command, defineCommand } from '../../command.ts'
import { EVIDENCE_OPTIONS } from './evidence-options.ts'

/** `driftgate fleet evidence`: what a third party can verify of a host. */
export const evidence: Command = defineCommand({
  name: 'fleet evidence',
  summary: 'Print the signed runs of a host with their reports, for "driftgate evidence verify"',
  details: `"driftgate scan --history --sign-key FILE" signs runs when it stores them. Runs that were never signed are handed
over as such. The reports hold all that was found on the host: hand the bundle to nobody who must not know it.`,
  options: EVIDENCE_OPTIONS,
  examples: [
    {
      command: 'driftgate fleet evidence --from /srv/reports --host web01 --since 2026-01-01 > web01.json',
      summary: 'What an auditor gets of this year',
    },
  ],
  run: async (invocation, io) => (await import('./run-evidence.ts')).runEvidence(invocation, io),
})
