import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { EXTENSION_OPTIONS } from '../../options/extension.ts'

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

export type DocsInvocation = Invocation<OptionsOf<typeof OPTIONS>>
