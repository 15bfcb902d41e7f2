import type { ExportsOf } from '../../core/exported.ts'
import { defineExports } from '../../resource-type/define.ts'
import type { ExecLook } from './state.ts'

/** What later resources can read of a command: what its guards saw, as far as they had to be asked. */
export const execExports = defineExports({
  created: { kind: 'boolean', summary: 'Whether the path of `creates` exists.' },
  onlyif: {
    kind: 'integer',
    summary:
      'The exit code of `onlyif`, where it had to be run; after a fix there is none, because it is not asked again.',
  },
  unless: { kind: 'integer', summary: 'The exit code of `unless`, where it had to be run.' },
})

/** The values of a look at the guards. */
export function exportsOfExec({ creates, onlyif, unless }: ExecLook): ExportsOf<typeof execExports> {
  return {
    created: creates?.kind === 'known' ? creates.value : undefined,
    onlyif: onlyif?.kind === 'known' ? onlyif.value : undefined,
    unless: unless?.kind === 'known' ? unless.value : undefined,
  }
}
