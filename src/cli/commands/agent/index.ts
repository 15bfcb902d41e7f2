import { type Command, defineCommand } from '../../command.ts'
import { OPTIONS } from './options.ts'

export const agent: Command = defineCommand({
  name: 'agent',
  summary: 'Run as an agent: scan assigned policies and send the results',
  details: `Assignments come from the fleet server and must be signed by the operator. While the server is away, the last
verified assignment stays in force, scans continue, and runs are sent later. A host without an assignment waits.

Each scan is a separate process. Standard error gets a line for each scan and for each change of the connection.
Runs are saved before they are sent, and signed with the key of the host.

Exit codes
  0  ended by SIGTERM or SIGINT; with --once a scan was performed, with any result
  1  wrong usage, or the host has not joined a fleet; with --once, nothing is assigned or the scan did not run`,
  options: OPTIONS,
  examples: [
    { command: 'driftgate agent', summary: 'Run in the foreground, as the unit driftgate-agent does' },
    { command: 'driftgate agent --once', summary: 'Run once, for cron' },
    {
      command: 'driftgate agent --unit > /etc/systemd/system/driftgate-agent.service',
      summary: 'Print the unit where no package installs it',
    },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runAgent(invocation, io),
})
