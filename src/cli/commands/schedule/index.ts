import { type Command, defineCommand, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { durationComplaint } from '../../options/duration.ts'
import { usageError } from '../../errors.ts'
import { POLICIES } from '../../options/policies.ts'
import { SCAN_OPTIONS } from '../scan/index.ts'

const ACTIONS = ['install', 'show', 'remove'] as const

const own = {
  'on-calendar': {
    kind: 'list',
    group: 'Schedule:',
    placeholder: 'EXPR',
    summary: 'When to scan, as systemd.time(7) says it: daily, "Mon..Fri 03:00", "*:0/15"; repeatable',
  },
  name: {
    kind: 'value',
    group: 'Schedule:',
    placeholder: 'NAME',
    summary: 'Tell several schedules apart; "scan" where none is named',
    complain: (text) =>
      /^[a-z0-9][a-z0-9_-]{0,63}$/i.test(text) ? undefined : 'must be letters, digits, "_" and "-", at most 64',
  },
  'randomized-delay': {
    kind: 'value',
    group: 'Schedule:',
    placeholder: 'DURATION',
    summary: 'Spread the scans of many machines over this time; 5m where none is named',
    complain: durationComplaint(0),
  },
  'run-timeout': {
    kind: 'value',
    group: 'Schedule:',
    placeholder: 'DURATION',
    summary: 'End a scan that takes longer; 1h where none is named',
    complain: durationComplaint(1000),
  },
  sandbox: {
    kind: 'text',
    group: 'Schedule:',
    placeholder: 'KIND',
    choices: ['read-only', 'off'],
    default: 'read-only',
    summary: 'What a scan may write under systemd: only its reports and its history, or everything',
  },
  scheduler: {
    kind: 'text',
    group: 'Schedule:',
    placeholder: 'KIND',
    choices: ['auto', 'systemd', 'cron'],
    default: 'auto',
    summary: 'What carries it out: systemd where it runs, else cron',
  },
} as const satisfies OptionSpecs

const options = { ...own, ...SCAN_OPTIONS }

/** The options of `driftgate schedule`, those of the scan among them. */
export type ScheduleFlags = OptionsOf<typeof options>

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
  options,
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
  async run({ operands: [word, ...sources], options: flags, said }, io) {
    const { performSchedule } = await import('./run.ts')
    const action = ACTIONS.find((known) => known === word)
    if (action === undefined) throw usageError(`say what to do: ${ACTIONS.join(', ')}`, 'schedule')
    await performSchedule({ action, sources, flags, said }, io)
    return 0
  },
})
