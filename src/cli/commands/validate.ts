import { defineCommand, type Command } from '../command.ts'
import { POLICIES } from '../policies-operand.ts'
import { reportProblems } from '../problems.ts'

/** `driftgate validate`: reads policies as a scan would and says everything that is wrong with them. */
export const validate: Command = defineCommand({
  name: 'validate',
  summary: 'Check policies without looking at the machine',
  details:
    'Every problem is shown with file, line and column. Exit code 0: all policies are valid. 1: at least one is not.',
  operands: POLICIES,
  options: {
    quiet: { kind: 'flag', group: 'Output:', summary: 'Say nothing about valid policies' },
  },
  examples: [
    { command: 'driftgate validate policies/', summary: 'Check every policy of a directory' },
    { command: 'cat web.yaml | driftgate validate -', summary: 'Check what another program wrote' },
  ],
  async run({ operands, options }, io) {
    const [{ loadPolicies }, { resourceTypes }, { escapeForTerminal }] = await Promise.all([
      import('../../policy/load.ts'),
      import('../../resources/index.ts'),
      import('../../core/escape.ts'),
    ])
    const loaded = await loadPolicies(operands, { types: resourceTypes })
    if (!loaded.ok) {
      await reportProblems(loaded.problems, io)
      return 1
    }
    await reportProblems(loaded.warnings, io)
    if (options.quiet) return 0
    const lines = loaded.value.map(({ source, id, resources, controls }) => {
      const size = `${count(resources.length, 'resource')}, ${count(controls.length, 'control')}`
      return `${escapeForTerminal(source)}: valid, policy ${escapeForTerminal(id)} (${size})\n`
    })
    await io.print(lines.join(''))
    return 0
  },
})

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
