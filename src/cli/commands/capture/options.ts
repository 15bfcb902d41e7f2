import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { CARRY_OPTIONS } from '../../options/carry.ts'
import { EXTENSION_OPTIONS } from '../../options/extension.ts'
import { TARGET_OPTIONS } from '../../options/target.ts'

export const OPTIONS = {
  recursive: { kind: 'flag', group: 'Content:', summary: 'Include the contents of directories' },
  content: {
    kind: 'flag',
    group: 'Content:',
    summary: 'Include the text of small world-readable files',
  },
  private: {
    kind: 'flag',
    group: 'Content:',
    summary: 'Include digests and settings of private files, never their text',
  },
  absent: { kind: 'flag', group: 'Content:', summary: 'Require absent resources to stay absent' },
  output: {
    kind: 'value',
    group: 'Output:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Write to this file with mode 0600 instead of standard output',
  },
  force: { kind: 'flag', group: 'Output:', summary: 'Replace an existing file' },
  ...TARGET_OPTIONS,
  ...CARRY_OPTIONS,
  ...EXTENSION_OPTIONS,
} as const satisfies OptionSpecs

export type CaptureInvocation = Invocation<OptionsOf<typeof OPTIONS>>
