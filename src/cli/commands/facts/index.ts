import { type Command, defineCommand } from '../../command.ts'
import { OperatorError } from '../../../core/operator-error.ts'
import { CONFIG_OPTIONS } from '../../options/extension.ts'
import { FACT_OPTIONS } from '../../options/input.ts'
import { reportProblems } from '../../problems.ts'

/** `driftgate facts`: what policies can know of this machine, as they see it. */
export const facts: Command = defineCommand({
  name: 'facts',
  summary: 'Print the facts of this machine, or those at a path',
  details:
    'The facts of the system with those of /etc/driftgate and the user, as templates see them. Of a path only\n' +
    'the family it names is gathered. A path that finds nothing is exit code 1.',
  operands: { name: 'path', summary: 'A lookup path such as host.info.platform', atLeast: 0, atMost: 1 },
  options: {
    yaml: { kind: 'flag', group: 'Output:', summary: 'Print YAML instead of JSON' },
    ...FACT_OPTIONS,
    ...CONFIG_OPTIONS,
  },
  examples: [
    { command: 'driftgate facts --yaml', summary: 'Everything a policy can ask for' },
    { command: 'driftgate facts host.info.platform', summary: 'One fact' },
    { command: "driftgate facts 'network.interfaces.#.name'", summary: 'One value of every item of a list' },
    { command: 'driftgate facts role --fact role=web', summary: 'A fact that is given' },
  ],
  async run({ operands: [path], options }, io) {
    const [{ readInputs }, { findFacts }, { toJson, toYaml }] = await Promise.all([
      import('../../../policy/operator-inputs.ts'),
      import('../../../inspect/find-facts.ts'),
      import('../../show-value.ts'),
    ])
    const read = await readInputs({ facts: options.facts, fact: options.fact })
    if (!read.ok) {
      await reportProblems(read.problems, io)
      return 1
    }
    const { inputs, warnings } = read.value
    const found = findFacts(inputs, path)
    await reportProblems(warnings, io)
    if (!found.ok) throw new OperatorError(found.message)
    await io.print(options.yaml ? toYaml(found.value) : toJson(found.value))
    return 0
  },
})
