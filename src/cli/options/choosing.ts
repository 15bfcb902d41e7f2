import { SEVERITIES } from '../../model/verdict.ts'
import type { OptionSpecs } from '../command.ts'

/** The options of a scan that choose among what a fix would change. */
export const CHOOSING_OPTIONS = {
  'fix-severity': {
    kind: 'value',
    group: 'Run:',
    placeholder: 'SEVERITY',
    complain: (text: string) =>
      SEVERITIES.some((severity) => severity === text) ? undefined : `must be one of ${SEVERITIES.join(', ')}`,
    summary: 'Fix only what is of at least this severity; it only chooses that, and the gate is the one of --fail-on',
  },
  'max-changes': {
    kind: 'value',
    group: 'Run:',
    placeholder: 'N',
    complain: (text: string) => (/^\d+$/.test(text) ? undefined : 'must be a number of resources'),
    summary: 'Count first what --fix would change, and change nothing where that is more; exit code 4',
  },
  ask: { kind: 'flag', group: 'Run:', summary: 'Show each change on the terminal, and ask before it is made' },
  'confirm-risky': {
    kind: 'flag',
    group: 'Run:',
    summary: 'Refuse what may cut this machine off where --confirm-within does not see to it; nothing without --fix',
  },
} as const satisfies OptionSpecs
