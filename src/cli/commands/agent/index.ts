import { type Command, defineCommand } from '../../command.ts'
import { OPTIONS } from './options.ts'

/** `driftgate agent`: keeps a host of a fleet scanned and connected. */
export const agent: Command = defineCommand({
  name: 'agent',
  summary: 'Stay on a host of a fleet: scan what is assigned to it, and send what is found',
  details: `Assignments come from the server of the fleet and count where the operator has signed them. What was verified
last stays in force while the server is away; scans go on, and their runs are sent when it is back. A host
to which nothing was ever assigned waits.

Each scan is a process of its own. Standard error gets a line for each, and one for each change between
host and server. Runs are stored before they are sent, and signed by the key of the host.

Exit codes
  0  ended by SIGTERM or SIGINT; with --once a scan was performed, whatever it found
  1  wrong usage, or this host is none of a fleet; with --once nothing is assigned or could be scanned`,
  options: OPTIONS,
  examples: [
    { command: 'driftgate agent', summary: 'What the unit driftgate-agent does' },
    { command: 'driftgate agent --once', summary: 'For cron' },
    {
      command: 'driftgate agent --unit > /etc/systemd/system/driftgate-agent.service',
      summary: 'Where no package has brought the unit',
    },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runAgent(invocation, io),
})
