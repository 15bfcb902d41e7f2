import { SEVERITIES } from '../../model/verdict.ts'
import type { OptionSpecs } from '../command.ts'

/** Scan options that select among the changes of a fix. */
export const CHOOSING_OPTIONS = {
  'fix-severity': {
    kind: 'value',
    group: 'Fix:',
    placeholder: 'SEVERITY',
    complain: (text: string) =>
      SEVERITIES.some((severity) => severity === text) ? undefined : `must be one of ${SEVERITIES.join(', ')}`,
    summary: 'Fix only drift of at least this severity (--fail-on sets the gate)',
  },
  'max-changes': {
    kind: 'value',
    group: 'Fix:',
    placeholder: 'N',
    complain: (text: string) => (/^\d+$/.test(text) ? undefined : 'must be a number of resources'),
    summary: 'Change nothing if a fix would make more than N changes (exit code 4)',
  },
  ask: { kind: 'flag', group: 'Fix:', summary: 'Prompt on the terminal before each change' },
  'confirm-risky': {
    kind: 'flag',
    group: 'Fix:',
    summary: 'Refuse risky changes without --confirm-within',
  },
} as const satisfies OptionSpecs
