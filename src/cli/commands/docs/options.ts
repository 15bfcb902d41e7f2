import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { EXTENSION_OPTIONS } from '../../options/extension.ts'

/** The options of `driftgate docs`. */
export const OPTIONS = {
  format: {
    kind: 'text',
    group: 'Output:',
    placeholder: 'FORMAT',
    choices: ['text', 'markdown'],
    default: 'text',
    summary: 'Output format',
  },
  out: {
    kind: 'optional-text',
    group: 'Output:',
    placeholder: 'DIR',
    implied: 'reference',
    isOwn: true,
    summary: 'Write Markdown pages to DIR (default: reference)',
  },
  ...EXTENSION_OPTIONS,
} as const satisfies OptionSpecs

/** What `driftgate docs` is asked to do. */
export type DocsInvocation = Invocation<OptionsOf<typeof OPTIONS>>
