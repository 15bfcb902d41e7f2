import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { POLICIES } from '../../options/policies.ts'
import { durationComplaint } from '../../options/duration.ts'
import { SCAN_OPTIONS } from '../../options/scan.ts'

export const ACTIONS = ['install', 'show', 'remove'] as const

const own = {
  'on-calendar': {
    kind: 'list',
    group: 'Schedule:',
    placeholder: 'EXPR',
    summary: 'Time in systemd.time(7) syntax, such as daily (repeatable)',
  },
  name: {
    kind: 'value',
    group: 'Schedule:',
    placeholder: 'NAME',
    summary: 'Name of the schedule (default: scan)',
    complain: (text) =>
      text === 'agent' || text === 'nats'
        ? 'must be another name: driftgate-agent and driftgate-nats are units of a fleet'
        : /^[a-z0-9][a-z0-9_-]{0,63}$/i.test(text)
          ? undefined
          : 'must be letters, digits, "_" and "-", at most 64',
  },
  'randomized-delay': {
    kind: 'value',
    group: 'Schedule:',
    placeholder: 'DURATION',
    summary: 'Random delay, to spread the scans of many hosts (default: 5m)',
    complain: durationComplaint(0),
  },
  'run-timeout': {
    kind: 'value',
    group: 'Schedule:',
    placeholder: 'DURATION',
    summary: 'Time limit of a scan (default: 1h)',
    complain: durationComplaint(1000),
  },
  sandbox: {
    kind: 'text',
    group: 'Schedule:',
    placeholder: 'KIND',
    choices: ['read-only', 'off'],
    default: 'read-only',
    summary: 'Write access under systemd (audit: reports and history only)',
  },
  scheduler: {
    kind: 'text',
    group: 'Schedule:',
    placeholder: 'KIND',
    choices: ['auto', 'systemd', 'cron'],
    default: 'auto',
    summary: 'Scheduler (auto: systemd if it runs, else cron)',
  },
} as const satisfies OptionSpecs

const OPTIONS = { ...own, ...SCAN_OPTIONS }

export type ScheduleInvocation = Invocation<OptionsOf<typeof OPTIONS>>

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
