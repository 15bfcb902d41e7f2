import { type Command, defineCommand } from '../../command.ts'
import { POLICIES } from '../../options/policies.ts'
import { ACTIONS, OPTIONS } from './options.ts'

export const schedule: Command = defineCommand({
  name: 'schedule',
  summary: 'Schedule scans with systemd or cron',
  details: `All other options are those of "driftgate scan", with absolute paths.

"install" writes a systemd service and timer and starts the timer, or a cron entry if systemd does not run. root
installs a system schedule, other users a user schedule. "show" prints the files that "install" writes. "remove"
stops a schedule and removes its files.

The service has read access to the whole system and can write reports and history only. It fails on drift:
"systemctl --failed" lists it, and OnFailure= can notify.`,
  operands: {
    ...POLICIES,
    summary: 'an action, then policy files, directories or bundles',
    actions: ACTIONS,
  },
  options: OPTIONS,
  examples: [
    {
      command: 'driftgate schedule install /etc/driftgate --on-calendar daily --history',
      summary: 'Audit every night and save the results',
    },
    {
      command: 'driftgate schedule show web.yaml --on-calendar "Mon..Fri 03:00" --out /srv/reports',
      summary: 'Print the units',
    },
    { command: 'driftgate schedule remove', summary: 'Remove a schedule' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runSchedule(invocation, io),
})
