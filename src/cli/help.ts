import yargs, { type Argv, type Options } from 'yargs'
import type { Command, OptionSpec } from './command.ts'
import { type Io, proseWidth } from './output/io.ts'

/** Overall help: commands and further information. */
export async function overview(commands: readonly Command[], io: Io): Promise<string> {
  const examples = commands.flatMap(({ examples: [first] }) => first ?? [])
  const help = createHelp({ options: GLOBAL_OPTIONS, examples })
    .usage('driftgate <command> [options]\n\nAudits hosts against policies and fixes drift on request.')
    .epilogue('Run "driftgate <command> --help" for details. Terms of reports: docs/glossary.md of the package.')
  for (const command of commands) help.command(usageLine(command), command.summary)
  return finish(await help.wrap(proseWidth(io)).getHelp())
}

/** Help of one command: usage, options, examples. */
export async function commandHelp(command: Command, io: Io): Promise<string> {
  const { operands, details, options, examples } = command
  const about = operands === undefined ? '' : `\n\n${operands.name}: ${operands.summary}`
  const help = createHelp({ options: { ...options, help: GLOBAL_OPTIONS.help }, examples })
  help.usage(`driftgate ${usageLine(command)}\n\n${command.summary}${about}`)
  for (const subcommand of command.subcommands ?? []) help.command(usageLine(subcommand), subcommand.summary)
  if (details !== undefined) help.epilogue(reflow(details))
  return finish(await help.wrap(proseWidth(io)).getHelp())
}

/** Joins the lines of a paragraph, so that they wrap once at the terminal width; indented lines stay as they are. */
function reflow(text: string): string {
  return text.replaceAll(/(?<=\S)\n(?=\S)/g, (_, at: number) => (isIndented(text, at) ? '\n' : ' '))
}

function isIndented(text: string, at: number): boolean {
  return text.slice(text.lastIndexOf('\n', at - 1) + 1).startsWith(' ')
}

const GLOBAL_OPTIONS = {
  help: { kind: 'flag', group: 'Options:', summary: 'Show help' },
  version: { kind: 'flag', group: 'Options:', summary: 'Show the version (with --verbose: build details)' },
} as const satisfies Command['options']

/** Usage line of a command: its name, operands and whether it has options. */
export function usageLine({ name, operands, options }: Command): string {
  const flags = Object.keys(options).length === 0 ? '' : ' [options]'
  if (operands === undefined) return `${name}${flags}`
  if (operands.actions !== undefined) {
    const action = operands.actions.join('|')
    const words = operands.atLeast > 1 ? `<${operands.name}..>` : `[${operands.name}..]`
    return `${name} ${operands.atLeast === 0 ? `[${action}]` : `<${action}>`} ${words}${flags}`
  }
  const several = operands.atMost > 1 && operands.others === undefined ? '..' : ''
  const words = operands.atLeast === 0 ? `[${operands.name}${several}]` : `<${operands.name}${several}>`
  const rest = operands.others ?? []
  const isOpen = operands.atMost > rest.length + 1
  const others = rest.map((other, index) => {
    const word = isOpen && index === rest.length - 1 ? `${other}..` : other
    return index + 1 < operands.atLeast ? ` <${word}>` : ` [${word}]`
  })
  return `${name} ${words}${others.join('')}${flags}`
}

function finish(help: string): string {
  return `${help.trimEnd()}\n`
}

/** A yargs instance that formats the help of a command. Value kinds are omitted: the placeholders say more. */
function createHelp({ options, examples }: Pick<Command, 'options' | 'examples'>): Argv {
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
