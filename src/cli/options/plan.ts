import type { OptionSpecs } from '../command.ts'
import { durationComplaint } from './duration.ts'

/** Scan options for saved plans. */
export const PLAN_OPTIONS = {
  'save-plan': {
    kind: 'value',
    group: 'Fix:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Write the plan of a fix to a file (audit only)',
  },
  plan: {
    kind: 'value',
    group: 'Fix:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Apply this plan and nothing else (requires --fix)',
  },
  'plan-max-age': {
    kind: 'value',
    group: 'Fix:',
    placeholder: 'DURATION',
    complain: durationComplaint(1),
    summary: 'Refuse plans older than this (default: 24h)',
  },
} as const satisfies OptionSpecs
