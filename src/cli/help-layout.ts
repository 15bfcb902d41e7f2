import yargs, { type Argv, type Options } from 'yargs'
import type { Command, OptionSpec } from './command.ts'

/** A yargs instance that formats the help of a command. Value kinds are omitted: the placeholders say more. */
export function createHelp({ options, examples }: Pick<Command, 'options' | 'examples'>): Argv {
  const help = silentYargs()
  for (const [name, spec] of Object.entries(options)) help.option(name, { ...describeOption(spec), ...aliasOf(spec) })
  for (const { command, summary } of examples) help.example(command, summary)
  return help
}

function silentYargs(): Argv {
  return yargs([]).scriptName('driftgate').detectLocale(false).exitProcess(false).help(false).version(false)
}

function aliasOf({ alias }: OptionSpec): Options {
  return alias === undefined ? {} : { alias }
}

function describeOption(spec: OptionSpec): Options {
  const { group, summary } = spec
  switch (spec.kind) {
    case 'flag':
      return { group, describe: summary }
    case 'text':
      return {
        group,
        describe: `${spec.placeholder}: ${summary} (${spec.choices.join(', ')})`,
        defaultDescription: spec.default,
      }
    case 'value':
      return { group, describe: `${spec.placeholder}: ${summary}` }
    case 'optional-text':
      return { group, describe: `[${spec.placeholder}]: ${summary}` }
    case 'list':
      return { group, describe: `${spec.placeholder}: ${summary}` }
  }
}
