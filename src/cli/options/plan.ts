import type { OptionSpecs } from '../command.ts'
import { durationComplaint } from './duration.ts'

/** The options of a scan that say what a fix changes. */
export const PLAN_OPTIONS = {
  'save-plan': {
    kind: 'value',
    group: 'Run:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Write what --fix would do to a file that --plan takes; only an audit does',
  },
  plan: {
    kind: 'value',
    group: 'Run:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'With --fix do what this plan says and nothing else; what changed since then is refused',
  },
  'plan-max-age': {
    kind: 'value',
    group: 'Run:',
    placeholder: 'DURATION',
    complain: durationComplaint(1),
    summary: 'Refuse a plan that is older; 24h where none is named',
  },
} as const satisfies OptionSpecs
