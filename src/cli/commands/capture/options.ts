import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { EXTENSION_OPTIONS } from '../../options/extension.ts'

/** The options of `driftgate capture`. Parsing, help and completion follow from them. */
export const OPTIONS = {
  recursive: { kind: 'flag', group: 'What is written:', summary: 'Of directories all that is in them, too' },
  content: {
    kind: 'flag',
    group: 'What is written:',
    summary: 'The text of small files that everybody may read, in place of their sha256',
  },
  private: {
    kind: 'flag',
    group: 'What is written:',
    summary: 'Of files that not everybody may read the sha256, and single settings; never their text',
  },
  absent: { kind: 'flag', group: 'What is written:', summary: 'Of what is not there, that it must not be there' },
  output: {
    kind: 'value',
    group: 'Output:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Write to this file, which only its owner can read, and not to standard output',
  },
  force: { kind: 'flag', group: 'Output:', summary: 'Replace the file where it is there already' },
  ...EXTENSION_OPTIONS,
} as const satisfies OptionSpecs

/** What `driftgate capture` is asked to do. */
export type CaptureInvocation = Invocation<OptionsOf<typeof OPTIONS>>
