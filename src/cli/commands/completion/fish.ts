import type { Command, OptionSpec } from '../../command.ts'

/** A fish script that completes these commands with their descriptions. */
export function fishCompletion(commands: readonly Command[]): string {
  const lines = [
    '# fish completion for driftgate. Save it as driftgate.fish in ~/.config/fish/completions.',
    ...commands.map(({ name, summary }) =>
      complete('-n __fish_use_subcommand -f', `-a ${quote(name)}`, `-d ${quote(summary)}`),
    ),
    ...commands.flatMap(commandLines),
  ]
  return `${lines.join('\n')}\n`
}

function commandLines({ name, operands, options }: Command): readonly string[] {
  const seen = `-n ${quote(`__fish_seen_subcommand_from ${name}`)}`
  const words = operands?.actions ?? operands?.choices
  return [
    // Without a list of words a name of a file is meant, which fish completes by itself.
    ...(words === undefined ? [] : [complete(seen, '-f', `-a ${quote(words.join(' '))}`)]),
    ...Object.entries(options).map(([option, spec]) => optionLine(seen, option, spec)),
    complete(seen, '-l help', `-d ${quote('Show help')}`),
  ]
}

function optionLine(seen: string, name: string, spec: OptionSpec): string {
  const { alias } = spec
  const other = alias === undefined ? [] : [`${alias.length === 1 ? '-s' : '-l'} ${alias}`]
  return complete(seen, `-l ${name}`, ...other, ...valueOf(spec), `-d ${quote(spec.summary)}`)
}

/** Whether a value follows, and what it can be; a file where nothing else is known. */
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

/** A word for fish that means exactly this text. */
function quote(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`
}
