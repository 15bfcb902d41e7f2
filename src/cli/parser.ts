import yargs, { type Argv, type Options } from 'yargs'
import type { Command, OptionSpec } from './command.ts'

/** Reads words and nothing else: names stay as they are written, values stay text. */
const PLAIN_WORDS = {
  'boolean-negation': false,
  'camel-case-expansion': false,
  'dot-notation': false,
  'greedy-arrays': false,
  'parse-numbers': false,
  'parse-positional-numbers': false,
} as const

/** A yargs instance that prints and exits nothing by itself, knowing the options of a command. */
export function createParser(command: Pick<Command, 'options' | 'examples'>, args: readonly string[] = []): Argv {
  const parser = yargs([...args])
    .scriptName('driftgate')
    .parserConfiguration(PLAIN_WORDS)
    .detectLocale(false)
    .exitProcess(false)
    .help(false)
    .version(false)
  for (const [name, spec] of Object.entries(command.options)) parser.option(name, describeOption(spec))
  for (const { command: line, summary } of command.examples) parser.example(line, summary)
  return parser
}

function describeOption(spec: OptionSpec): Options {
  const { group } = spec
  switch (spec.kind) {
    case 'flag':
      return { group, type: 'boolean', describe: spec.summary }
    case 'text':
      return {
        group,
        type: 'string',
        describe: `${spec.placeholder}: ${spec.summary} (${spec.choices.join(', ')})`,
        defaultDescription: spec.default,
      }
    case 'optional-text':
      return { group, type: 'string', describe: `[${spec.placeholder}]: ${spec.summary}` }
    case 'list':
      return { group, type: 'string', array: true, describe: `${spec.placeholder}: ${spec.summary}` }
  }
}
