import { type Command, defineCommand } from '../../command.ts'
import { OPTIONS } from './options.ts'

/** `driftgate waivers`: checks files of waivers, or lists what they accept and until when. */
export const waivers: Command = defineCommand({
  name: 'waivers',
  summary: 'Check files of waivers, or list what they accept and until when',
  details: `check  says everything that is wrong with the files, and warns of waivers that have expired or soon will
list   prints the waivers, those that expire first on top

Nothing is compared with the machine. Exit code 0: the files are valid, whatever has expired. 1: they are not.`,
  operands: {
    name: 'FILE',
    actions: ['check', 'list'],
    summary: 'what to do; then files of waivers, YAML or JSON',
    atLeast: 2,
    atMost: Number.POSITIVE_INFINITY,
  },
  options: OPTIONS,
  examples: [
    {
      command: 'driftgate waivers check waivers.yaml --max-waiver-days 90',
      summary: 'In the pipeline of their repository',
    },
    { command: 'driftgate waivers list waivers.yaml', summary: 'What is accepted, by whom, and until when' },
    {
      command: "driftgate waivers list waivers.yaml --json | jq -r '.waivers[] | select(.daysLeft < 30) | .approver'",
      summary: 'Whom to ask about those that end within a month',
    },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runWaivers(invocation, io),
})
