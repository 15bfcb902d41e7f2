import { didYouMean } from '../core/suggest.ts'
import type { Command, Invocation, Operands, OptionSpec } from './command.ts'
import { type OperatorError, usageError } from './errors.ts'
import { createParser } from './parser.ts'

/** Reads the words after a command's name. Throws an `OperatorError` for anything the command does not declare. */
export async function parse(
  command: Command,
  args: readonly string[],
): Promise<Invocation<Readonly<Record<string, unknown>>>> {
  const usage: Complain = (message) => usageError(message, command.name)
  const parsed = await createParser(command, args).parseAsync()
  const { _: words, $0: _script, ...given } = parsed
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(command.options, name)) throw usage(unknownOption(name, command))
  }
  rejectFlagValues(command, args)
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, spec]) => [name, readOption(name, spec, given[name], usage)]),
  )
  const operands = words.map(String)
  checkOperands(command, operands, usage)
  return { operands, options }
}

type Complain = (message: string) => OperatorError

function unknownOption(name: string, command: Command): string {
  const dashes = name.length === 1 ? '-' : '--'
  const known = [...Object.keys(command.options), 'help'].map((option) => `--${option}`)
  return `unknown option ${dashes}${name}${didYouMean(`--${name}`, known)}`
}

/** The parser would take `--fix=yes` for "off"; saying so is safer. */
function rejectFlagValues(command: Command, args: readonly string[]): void {
  for (const word of args) {
    if (word === '--') return
    const name = /^--([^=]+)=/.exec(word)?.[1]
    if (name !== undefined && command.options[name]?.kind === 'flag') {
      throw usageError(`option --${name} takes no value`, command.name)
    }
  }
}

function readOption(name: string, spec: OptionSpec, value: unknown, usage: Complain): unknown {
  switch (spec.kind) {
    case 'flag':
      return value === true || (Array.isArray(value) && value.includes(true))
    case 'text':
      return readChoice(name, spec, single(name, value, usage), usage)
    case 'optional-text':
      return single(name, value, usage) === '' ? spec.implied : single(name, value, usage)
    case 'list':
      return readList(name, value, usage)
  }
}

function single(name: string, value: unknown, usage: Complain): string | undefined {
  if (Array.isArray(value)) throw usage(`option --${name} is given more than once`)
  return typeof value === 'string' ? value : undefined
}

function readChoice(
  name: string,
  spec: Extract<OptionSpec, { kind: 'text' }>,
  value: string | undefined,
  usage: Complain,
): string {
  if (value === undefined) return spec.default
  if (value === '') throw usage(`option --${name} needs a value: ${spec.choices.join(', ')}`)
  if (spec.choices.includes(value)) return value
  throw usage(`option --${name} cannot be "${value}"${didYouMean(value, spec.choices)} (${spec.choices.join(', ')})`)
}

function readList(name: string, value: unknown, usage: Complain): readonly string[] {
  if (value === undefined) return []
  const values = (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string')
  if (values.length === 0 || values.includes('')) throw usage(`option --${name} needs a value`)
  return values
}

function checkOperands({ name, operands }: Command, words: readonly string[], usage: Complain): void {
  const [first = ''] = words
  if (operands === undefined) {
    if (words.length > 0) throw usage(`"${name}" takes no argument, but got "${first}"`)
    return
  }
  if (words.length < operands.atLeast) throw usage(`missing ${operands.name}: ${operands.summary}`)
  if (words.length > operands.atMost) throw usage(`unexpected argument "${words[operands.atMost] ?? ''}"`)
  for (const word of words) checkChoice(operands, word, usage)
}

function checkChoice({ name, choices }: Operands, word: string, usage: Complain): void {
  if (word === '') throw usage(`empty ${name}`)
  if (choices === undefined || choices.includes(word)) return
  throw usage(`unknown ${name} "${word}"${didYouMean(word, choices)} (${choices.join(', ')})`)
}
