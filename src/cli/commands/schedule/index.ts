import { type Command, defineCommand } from '../../command.ts'
import { POLICIES } from '../../options/policies.ts'
import { ACTIONS, OPTIONS } from './options.ts'

/** `driftgate schedule`: lets systemd or cron perform a scan again and again. */
export const schedule: Command = defineCommand({
  name: 'schedule',
  summary: 'Let systemd or cron scan regularly',
  details: `Every other option is one of "driftgate scan", and is handed to it with all paths made absolute.

"install" writes a service and a timer of systemd and starts the timer; where systemd does not run it
writes an entry for cron. As root it is the machine's, otherwise the user's. "show" prints what
"install" would write. "remove" stops a schedule and removes what was written.

The service sees everything as it is, but can write nothing except its reports and its history. Drift
ends it as failed: "systemctl --failed" lists it, and OnFailure= can tell of it.`,
  operands: {
    ...POLICIES,
    summary: 'What to do, then policy files, directories of them, or bundles (also http(s) addresses)',
    actions: ACTIONS,
  },
  options: OPTIONS,
  examples: [
    {
      command: 'driftgate schedule install /etc/driftgate --on-calendar daily --history',
      summary: 'Audit every night and keep the results',
    },
    {
      command: 'driftgate schedule show web.yaml --on-calendar "Mon..Fri 03:00" --out /srv/reports',
      summary: 'See the units first',
    },
    { command: 'driftgate schedule remove', summary: 'Audit no longer' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runSchedule(invocation, io),
})
