import { resolve } from 'node:path'
import type { OptionsOf, OptionSpecs } from '../command.ts'

/** Where fixes keep their state. */
export const STATE_OPTIONS = {
  'state-dir': {
    kind: 'value',
    group: 'Run:',
    placeholder: 'DIR',
    holds: 'path',
    summary: "Keep lock and journals of fixes here instead of the system's or the user's directory",
  },
} as const satisfies OptionSpecs

/** The directory as a path that means the same everywhere; undefined for the regular one. */
export function stateDirectoryOf({ 'state-dir': given }: OptionsOf<typeof STATE_OPTIONS>): string | undefined {
  return given === undefined ? undefined : resolve(given)
}
