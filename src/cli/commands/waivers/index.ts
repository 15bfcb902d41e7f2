import { type Command, defineCommand } from '../../command.ts'
import { dayOfTime } from '../../../core/calendar.ts'
import { CONFIG_OPTIONS } from '../../options/extension.ts'
import { reportProblems } from '../../problems.ts'
import { readWaiverFiles, WAIVER_RULES, warnDaysOf } from '../../options/waiver.ts'

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
  options: {
    json: { kind: 'flag', group: 'Output:', summary: 'Print the list as JSON for programs' },
    ...WAIVER_RULES,
    ...CONFIG_OPTIONS,
  },
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
  async run({ operands: [action, ...paths], options }, io) {
    const today = dayOfTime(new Date().toISOString())
    const read = await readWaiverFiles(paths, options, today)
    if (!read.ok) {
      await reportProblems(read.problems, io)
      return 1
    }
    const { checkedWaivers, listedWaivers, waiversJson } = await import('./run.ts')
    const day = { today, warnDays: warnDaysOf(options) }
    if (action === 'list') {
      const text = options.json ? waiversJson(read.value, day) : listedWaivers(read.value, day, await io.paintOutput())
      await io.print(text)
      return 0
    }
    const { summary, warnings } = checkedWaivers(read.value, paths, day)
    await reportProblems(warnings, io)
    await io.print(summary)
    return 0
  },
})
