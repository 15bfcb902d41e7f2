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
    summary: 'Print text for a terminal, or Markdown',
  },
  out: {
    kind: 'optional-text',
    group: 'Output:',
    placeholder: 'DIR',
    implied: 'reference',
    isOwn: true,
    summary: 'Write Markdown pages to a directory, "reference" where none is named',
  },
  ...EXTENSION_OPTIONS,
} as const satisfies OptionSpecs

/** What `driftgate docs` is asked to do. */
export type DocsInvocation = Invocation<OptionsOf<typeof OPTIONS>>
