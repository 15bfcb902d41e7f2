import type { RemoteLimits } from '../../remote/limits.ts'
import type { OptionsOf, OptionSpecs } from '../command.ts'
import { durationComplaint, durationOf } from './duration.ts'

/** Options for remote targets. */
export const CARRY_OPTIONS = {
  become: {
    kind: 'value',
    group: 'Target:',
    placeholder: 'COMMAND',
    complain: (text) =>
      /^[^-\s\p{Cc}][^\p{Cc}]*$/u.test(text) ? undefined : "must be a command and its options, such as 'sudo -n'",
    summary: "Start driftgate on the target with this command, such as 'sudo -n'",
  },
  'connect-timeout': {
    kind: 'value',
    group: 'Target:',
    placeholder: 'DURATION',
    complain: durationComplaint(1000),
    summary: 'Time limit for starting driftgate on a target (default: 30s)',
  },
  timeout: {
    kind: 'value',
    group: 'Target:',
    placeholder: 'DURATION',
    complain: durationComplaint(1000),
    summary: 'Time limit for the result of a target (default: 1h)',
  },
  'remote-binary': {
    kind: 'value',
    group: 'Target:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Executable to copy to targets without driftgate',
  },
} as const satisfies OptionSpecs

export type CarryFlags = OptionsOf<typeof CARRY_OPTIONS>

/** Error for these options without a remote target. */
export const ONLY_CARRIED =
  '--become, --remote-binary, --connect-timeout and --timeout require a target that driftgate is copied to, such as --target ssh:HOST'

/** True if any option for remote targets is given. */
export function saysOfCarrying(flags: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(CARRY_OPTIONS).some((name) => flags[name] !== undefined)
}

/** Time limits of a remote target. */
export function limitsOfCarrying({ 'connect-timeout': connect, timeout }: CarryFlags): RemoteLimits {
  return { connectMs: durationOf(connect, '30s'), totalMs: durationOf(timeout, '1h') }
}
