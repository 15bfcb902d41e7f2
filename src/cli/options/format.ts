import type { OptionSpecs } from '../command.ts'

/** The format of what a command prints. */
export const FORMAT = {
  format: {
    kind: 'text',
    group: 'Output:',
    placeholder: 'FORMAT',
    choices: ['text', 'json'],
    default: 'text',
    summary: 'Output format',
  },
} as const satisfies OptionSpecs
