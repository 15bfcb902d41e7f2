import { type Command, type OptionSpec, withSubcommands } from '../../command.ts'
import { firstWords } from './script.ts'

/** fish completion script for these commands, with descriptions. */
export function fishCompletion(commands: readonly Command[]): string {
  const lines = [
    '# fish completion for driftgate. Save it as driftgate.fish in ~/.config/fish/completions.',
    // Options belong to the words directly after the program's name.
    'function __driftgate_on',
    '  set -l words (commandline -opc)',
    '  set -l last (math (count $argv) + 1)',
    '  test (count $words) -ge $last; and test "$words[2..$last]" = "$argv"',
    'end',
    ...commands.map(({ name, summary }) =>
      complete('-n __fish_use_subcommand -f', `-a ${quote(name)}`, `-d ${quote(summary)}`),
    ),
    ...withSubcommands(commands).flatMap(commandLines),
  ]
  return `${lines.join('\n')}\n`
}

function commandLines(command: Command): readonly string[] {
  const { name, options, subcommands = [] } = command
  const conditions = [`__driftgate_on ${name}`, ...subcommands.map((other) => `not __driftgate_on ${other.name}`)]
  const seen = `-n ${quote(conditions.join('; and '))}`
  const words = firstWords(command)
  return [
    // Without a word list, fish completes file names by itself.
    ...(words.length === 0 ? [] : [complete(seen, '-f', `-a ${quote(words.join(' '))}`)]),
    ...Object.entries(options).map(([option, spec]) => optionLine(seen, option, spec)),
    complete(seen, '-l help', `-d ${quote('Show help')}`),
  ]
}

function optionLine(seen: string, name: string, spec: OptionSpec): string {
  const { alias } = spec
  const other = alias === undefined ? [] : [`${alias.length === 1 ? '-s' : '-l'} ${alias}`]
  return complete(seen, `-l ${name}`, ...other, ...valueOf(spec), `-d ${quote(spec.summary)}`)
}

/** fish arguments for the value of an option; files by default. */
function valueOf(spec: OptionSpec): readonly string[] {
  switch (spec.kind) {
    case 'flag':
    case 'optional-text':
      return []
    case 'text':
      return [`-x -a ${quote(spec.choices.join(' '))}`]
    case 'value':
      return ['-r']
    case 'list':
      return spec.offers === undefined ? ['-r'] : [`-x -a ${quote(spec.offers.join(' '))}`]
  }
}

function complete(...words: readonly string[]): string {
  return `complete -c driftgate ${words.join(' ')}`
}

/** Quotes a literal word for fish. */
function quote(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`
}
