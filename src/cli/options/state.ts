import { resolve } from 'node:path'
import type { OptionsOf, OptionSpecs } from '../command.ts'

/** State directory of fixes. */
export const STATE_OPTIONS = {
  'state-dir': {
    kind: 'value',
    group: 'Fix:',
    placeholder: 'DIR',
    holds: 'path',
    summary: 'Directory of the fix lock and journals (default: the state directory)',
  },
} as const satisfies OptionSpecs

/** Absolute path of the directory; undefined for the default. */
export function stateDirectoryOf({ 'state-dir': given }: OptionsOf<typeof STATE_OPTIONS>): string | undefined {
  return given === undefined ? undefined : resolve(given)
}
