import { type Command, defineCommand } from '../../command.ts'
import { OPTIONS } from './options.ts'

/** `driftgate show`: what a saved plan would do. */
export const show: Command = defineCommand({
  name: 'show',
  summary: 'Show what a saved plan would do',
  details:
    'The plan is one that "scan --save-plan" wrote. It is shown as a report of its audit, in any format. Exit code 0: it was\n' +
    'shown, whatever it says. 1: it cannot be read, or the report cannot be written.',
  operands: { name: 'PLAN', summary: 'the file of a plan', atLeast: 1, atMost: 1 },
  options: OPTIONS,
  examples: [
    { command: 'driftgate show plan.json', summary: 'Read a plan before it is carried out' },
    { command: 'driftgate show plan.json --report markdown=plan.md', summary: 'The same for a review' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runShow(invocation, io),
})
