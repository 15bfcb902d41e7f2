import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { durationComplaint } from '../../options/duration.ts'
import { SCAN_OPTIONS } from '../../options/scan.ts'

/** What `driftgate schedule` can do. */
export const ACTIONS = ['install', 'show', 'remove'] as const

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

/** The options of `driftgate schedule`, those of the scan among them. */
export const OPTIONS = { ...own, ...SCAN_OPTIONS }

/** What `driftgate schedule` is asked to do. */
export type ScheduleInvocation = Invocation<OptionsOf<typeof OPTIONS>>
