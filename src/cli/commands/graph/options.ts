import { GRAPH_FORMATS } from '../../../engine/inspect/graph/formats.ts'
import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { BUNDLE_OPTIONS } from '../../options/bundle.ts'
import { EXTENSION_OPTIONS } from '../../options/extension.ts'
import { INPUT_OPTIONS, TRUST_OPTIONS } from '../../options/input.ts'

export const OPTIONS = {
  format: {
    kind: 'text',
    group: 'Output:',
    placeholder: 'FORMAT',
    choices: GRAPH_FORMATS,
    default: 'mermaid',
    summary: 'Output format: mermaid for Markdown, dot for Graphviz',
  },
  controls: { kind: 'flag', group: 'Output:', summary: 'Include controls and their resources' },
  ...INPUT_OPTIONS,
  ...TRUST_OPTIONS,
  ...BUNDLE_OPTIONS,
  ...EXTENSION_OPTIONS,
} as const satisfies OptionSpecs

export type GraphInvocation = Invocation<OptionsOf<typeof OPTIONS>>
