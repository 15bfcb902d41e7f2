import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { SCAN_OPTIONS } from '../../options/scan.ts'

const { report, verbose, quiet, 'report-mode': reportMode } = SCAN_OPTIONS
const OPTIONS = { report, 'report-mode': reportMode, verbose, quiet } as const satisfies OptionSpecs

export type ShowInvocation = Invocation<OptionsOf<typeof OPTIONS>>

export const show: Command = defineCommand({
  name: 'show',
  summary: 'Show the changes of a saved plan',
  details:
    'Shows a plan of "scan --save-plan" as the report of its audit, in any format.\n' +
    'Exit code 0: shown. 1: the plan cannot be read, or the report cannot be written.',
  operands: { name: 'PLAN', summary: 'a plan file', atLeast: 1, atMost: 1 },
  options: OPTIONS,
  examples: [
    { command: 'driftgate show plan.json', summary: 'Review a plan' },
    { command: 'driftgate show plan.json --report markdown=plan.md', summary: 'Render a plan as Markdown' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runShow(invocation, io),
})
