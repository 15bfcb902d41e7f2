import { type Command, type OptionSpec, withSubcommands } from '../../command.ts'

/** bash completion script for these commands; words without a list complete as files. */
export function bashCompletion(commands: readonly Command[]): string {
  const first = [...commands.map(({ name }) => name), '--help', '--version']
  const all = withSubcommands(commands)
  const ofTwoWords = subcommandNames(commands)
  return `# bash completion for driftgate. Load it with: source <(driftgate completion bash)
_driftgate() {
  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" words=''
  # bash splits "--option=value" into three words.
  if [[ $word == '=' ]]; then
    word=''
  elif [[ $previous == '=' && $COMP_CWORD -gt 1 ]]; then
    previous="\${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  local command="\${COMP_WORDS[1]}" at=1
  if [[ $COMP_CWORD -gt 2 ]]; then
    case "$command \${COMP_WORDS[2]}" in
    ${ofTwoWords.join(' | ')}) command="$command \${COMP_WORDS[2]}" at=2 ;;
    esac
  fi
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    words=${quote(first.join(' '))}
  else
    case "$command $previous" in
${all.flatMap(bashValueCases).join('\n')}
    *)
      case "$command" in
${all.map(bashCommandCase).join('\n')}
      esac
      ;;
    esac
  fi
  # shellcheck disable=SC2207 # the words hold no space
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _driftgate driftgate
`
}

function bashValueCases({ name, options }: Command): string[] {
  return Object.entries(options).flatMap(([option, spec]) => {
    if (spec.kind === 'flag') return []
    const patterns = wordsOf(option, spec).map((word) => quote(`${name} ${word}`))
    return [`    ${patterns.join(' | ')}) words=${quote(valuesOf(spec).join(' '))} ;;`]
  })
}

function bashCommandCase(command: Command): string {
  const { name, operands, options } = command
  const dashed = [...Object.entries(options).flatMap(([option, spec]) => wordsOf(option, spec)), '--help'].join(' ')
  const words = firstWords(command).join(' ')
  // If the first word has its own meaning, only it is completed.
  const isFirst = operands?.actions === undefined ? '' : 'elif [[ $COMP_CWORD -gt $((at + 1)) ]]; then :; '
  return `      ${quote(name)}) if [[ $word == -* ]]; then words=${quote(dashed)}; ${isFirst}else words=${quote(words)}; fi ;;`
}

function subcommandNames(commands: readonly Command[]): readonly string[] {
  return commands.flatMap(({ subcommands = [] }) => subcommands.map(({ name }) => quote(name)))
}

/** Known words after a command's name. */
export function firstWords({ operands, subcommands = [] }: Command): readonly string[] {
  const others = subcommands.map(({ name }) => name.slice(name.indexOf(' ') + 1))
  return [...(operands?.actions ?? operands?.choices ?? []), ...others]
}

/** zsh completion script for these commands, with descriptions. */
export function zshCompletion(commands: readonly Command[]): string {
  const all = withSubcommands(commands)
  const ofTwoWords = subcommandNames(commands)
  return `#compdef driftgate
# zsh completion for driftgate. Save it as _driftgate in a directory of $fpath.
_driftgate() {
  if (( CURRENT == 2 )); then
    local -a commands
    commands=(
${commands.map(({ name, summary }) => `      ${quote(`${name}:${summary}`)}`).join('\n')}
    )
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  if (( CURRENT > 2 )); then
    case "$command $words[2]" in
    ${ofTwoWords.join(' | ')})
      command="$command $words[2]"
      shift words
      (( CURRENT-- ))
      ;;
    esac
  fi
  case $command in
${all.map(zshCommandCase).join('\n')}
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _driftgate "$@"
else
  compdef _driftgate driftgate
fi
`
}

function zshCommandCase(command: Command): string {
  const { name, operands, options, subcommands } = command
  const specs = Object.entries(options).flatMap(([option, spec]) => zshOptions(option, spec))
  const first = operands?.actions === undefined ? [] : [quote(`1:action:${zshAction(operands.actions)}`)]
  const choices = subcommands === undefined ? operands?.choices : firstWords(command)
  const others = operands === undefined ? [] : [quote(`*:${operands.name}:${zshAction(choices)}`)]
  const words = [...first, ...others]
  const all = [...specs, quote('--help[Show help]'), ...words]
  return `    ${quote(name)})\n      _arguments -s \\\n${all.map((line) => `        ${line}`).join(' \\\n')}\n      ;;`
}

/** An option under each of its names, which exclude each other unless it may be repeated. */
function zshOptions(name: string, spec: OptionSpec): readonly string[] {
  const words = wordsOf(name, spec)
  return words.map((word) => {
    const others = words.filter((other) => other !== word)
    const excluded = others.length === 0 || spec.kind === 'list' ? '' : `(${others.join(' ')})`
    return quote(`${excluded}${zshOption(word, spec)}`)
  })
}

function zshOption(word: string, spec: OptionSpec): string {
  const summary = spec.summary.replace(/[[\]:\\]/g, String.raw`\$&`)
  switch (spec.kind) {
    case 'flag':
      return `${word}[${summary}]`
    case 'text':
      return `${word}=[${summary}]:${spec.placeholder}:${zshAction(spec.choices)}`
    case 'value':
      return `${word}=[${summary}]:${spec.placeholder.replace(/[[\]:]/g, '')}:_files`
    case 'optional-text':
      return `${word}=-[${summary}]::${spec.placeholder}:_files`
    case 'list':
      return `*${word}=[${summary}]:${spec.placeholder.replace(/[[\]:]/g, '')}:${zshAction(spec.offers)}`
  }
}

function zshAction(words: readonly string[] | undefined): string {
  return words === undefined ? '_files' : `(${words.join(' ')})`
}

/** An option as written, under each of its names. */
function wordsOf(name: string, { alias }: OptionSpec): readonly string[] {
  if (alias === undefined) return [`--${name}`]
  return [`--${name}`, `${alias.length === 1 ? '-' : '--'}${alias}`]
}

function valuesOf(spec: OptionSpec): readonly string[] {
  if (spec.kind === 'text') return spec.choices
  return spec.kind === 'list' ? (spec.offers ?? []) : []
}

/** Quotes a literal word for bash and zsh. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
