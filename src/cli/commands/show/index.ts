import { type Command, defineCommand } from '../../command.ts'
import { OPTIONS } from './options.ts'

export const show: Command = defineCommand({
  name: 'show',
  summary: 'Show the changes of a saved plan',
  details:
    'The plan is one that "scan --save-plan" wrote. It is shown as a report of its audit, in any format. Exit code 0: it was\n' +
    'shown. 1: it cannot be read, or the report cannot be written.',
  operands: { name: 'PLAN', summary: 'a plan file', atLeast: 1, atMost: 1 },
  options: OPTIONS,
  examples: [
    { command: 'driftgate show plan.json', summary: 'Review a plan' },
    { command: 'driftgate show plan.json --report markdown=plan.md', summary: 'Render a plan as Markdown' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runShow(invocation, io),
})
