import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
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

export const OPTIONS = { ...own, ...SCAN_OPTIONS }

export type ScheduleInvocation = Invocation<OptionsOf<typeof OPTIONS>>
