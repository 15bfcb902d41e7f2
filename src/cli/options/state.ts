import { resolve } from 'node:path'
import type { OptionsOf, OptionSpecs } from '../command.ts'

/** Where fixes keep their state. */
export const STATE_OPTIONS = {
  'state-dir': {
    kind: 'value',
    group: 'Fix:',
    placeholder: 'DIR',
    holds: 'path',
    summary: 'Directory of the fix lock and journals (default: the state directory)',
  },
} as const satisfies OptionSpecs

/** The directory as a path that means the same everywhere; undefined for the regular one. */
export function stateDirectoryOf({ 'state-dir': given }: OptionsOf<typeof STATE_OPTIONS>): string | undefined {
  return given === undefined ? undefined : resolve(given)
}
