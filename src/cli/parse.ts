import yargsParser, { type Arguments } from 'yargs-parser'
import { defined } from '../model/defined.ts'
import { didYouMean } from '../model/suggest.ts'
import type { Command, Invocation, Operands, OptionSpec, ValueSpec } from './command.ts'
import { findConfig } from './config/find-config.ts'
import type { OperatorError } from '../model/operator-error.ts'
import { usageError } from './errors.ts'

/** Disables all conversions: names stay as written, values stay text. */
const PLAIN_WORDS = {
  'boolean-negation': false,
  'camel-case-expansion': false,
  'dot-notation': false,
  'greedy-arrays': false,
  'parse-numbers': false,
  'parse-positional-numbers': false,
  'strip-aliased': true,
} as const

/**
 * Parses the words after a command's name. Without a policy, `GOSS_FILE` applies, as in Goss. Throws an `OperatorError`
 * for undeclared words.
 */
export async function parse(
  command: Command,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<Invocation<Readonly<Record<string, unknown>>>> {
  const usage: Complain = (message) => usageError(message, command.name)
  const { _: words, ...given } = parseWords(command, args)
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(command.options, name)) throw usage(unknownOption(name, command))
  }
  rejectFlagValues(command, args)
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, spec]) => [name, readOption(name, spec, given[name], usage)]),
  )
  const said = Object.fromEntries(Object.entries(options).filter(([name]) => given[name] !== undefined))
  const operands = words.length === 0 ? policyOf(command, env) : words.map(String)
  checkOperands(command, operands, usage)
  const invocation = await withConfig(command, { operands, options, said }, given)
  rejectContradictions(command, invocation.options, usage)
  return invocation
}

function policyOf(
  { operands }: Command,
  { GOSS_FILE: file = '' }: Readonly<Record<string, string | undefined>>,
): string[] {
  const isOfPolicies = operands?.arePolicies === true && operands.actions === undefined && operands.others === undefined
  return isOfPolicies && file !== '' ? [file] : []
}

type AnyInvocation = Invocation<Readonly<Record<string, unknown>>>

/** Merges the options of a config file; the command line takes precedence. Plugins of both are used. */
async function withConfig(
  command: Command,
  invocation: AnyInvocation,
  given: Readonly<Record<string, unknown>>,
): Promise<AnyInvocation> {
  if (!Object.hasOwn(command.options, 'config')) return invocation
  const found = findConfig(command, invocation)
  if (found === undefined) return invocation
  const { readConfig } = await import('./config/read-config.ts')
  const values = readConfig(found)
  const { plugin } = invocation.options
  const options = Object.entries(invocation.options).map(([name, value]) => {
    const spec = command.options[name]
    const other = spec?.kind === 'flag' ? spec.contradicts : undefined
    const isSaid = given[name] !== undefined || (other !== undefined && invocation.options[other] === true)
    const configured = spec?.kind === 'optional-text' && spec.isOwn === true ? undefined : values.get(name)
    return [name, isSaid || !hasMatchingType(configured, value, spec) ? value : configured]
  })
  const plugins = Array.isArray(plugin) ? { plugin: [...listOf(values.get('plugin')), ...plugin] } : {}
  return { ...invocation, options: { ...Object.fromEntries(options), ...plugins }, configFile: found.file }
}

/** True if the value of a scan option also fits the option of the same name in another command. */
function hasMatchingType(configured: unknown, value: unknown, spec: OptionSpec | undefined): boolean {
  if (spec !== undefined && spec.kind !== 'flag' && spec.kind !== 'list') return typeof configured === 'string'
  return typeof configured === typeof value && Array.isArray(configured) === Array.isArray(value)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function rejectContradictions(command: Command, options: Readonly<Record<string, unknown>>, usage: Complain): void {
  for (const [name, spec] of Object.entries(command.options)) {
    const other = spec.kind === 'flag' ? spec.contradicts : undefined
    if (other !== undefined && options[name] === true && options[other] === true) {
      throw usage(`--${name} and --${other} are mutually exclusive`)
    }
  }
}

type Complain = (message: string) => OperatorError

/** Names of dry-run options in other tools. */
const REHEARSALS: ReadonlySet<string> = new Set(['dry-run', 'check', 'noop', 'diff', 'what-if'])

function unknownOption(name: string, command: Command): string {
  if (REHEARSALS.has(name) && Object.hasOwn(command.options, 'fix')) {
    return `no option --${name}: a scan never changes anything, only --fix does`
  }
  const dashes = name.length === 1 ? '-' : '--'
  const known = [...Object.keys(command.options), 'help'].map((option) => `--${option}`)
  return `unknown option ${dashes}${name}${didYouMean(`--${name}`, known)}`
}

/** The parser would read `--fix=yes` as "off", so it is rejected. `--fix=false` overrides a config file. */
function rejectFlagValues(command: Command, args: readonly string[]): void {
  for (const word of args) {
    if (word === '--') return
    const [, name = '', value = ''] = /^--([^=]+)=(.*)$/s.exec(word) ?? []
    if (command.options[name]?.kind === 'flag' && value !== 'true' && value !== 'false') {
      throw usageError(`option --${name} accepts only true or false`, command.name)
    }
  }
}

function readOption(name: string, spec: OptionSpec, value: unknown, usage: Complain): unknown {
  switch (spec.kind) {
    case 'flag':
      return (Array.isArray(value) ? value.at(-1) : value) === true
    case 'text':
      return readChoice(name, spec, single(name, value, usage), usage)
    case 'value':
      return readValue(name, spec, single(name, value, usage), usage)
    case 'optional-text':
      return single(name, value, usage) === '' ? spec.implied : single(name, value, usage)
    case 'list':
      return readList(name, spec, value, usage)
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

function readValue(name: string, spec: ValueSpec, value: string | undefined, usage: Complain): string | undefined {
  if (value === undefined) return undefined
  if (value === '') throw usage(`option --${name} needs a value`)
  const complaint = spec.complain?.(value)
  if (complaint === undefined) return value
  throw usage(`option --${name} ${complaint}, but is "${value}"`)
}

function readList(
  name: string,
  { complain }: Extract<OptionSpec, { kind: 'list' }>,
  value: unknown,
  usage: Complain,
): readonly string[] {
  if (value === undefined) return []
  const values = (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string')
  if (values.length === 0 || values.includes('')) throw usage(`option --${name} needs a value`)
  for (const text of values) {
    const complaint = complain?.(text)
    if (complaint !== undefined) throw usage(`option --${name} ${complaint}, but is "${text}"`)
  }
  return values
}

function checkOperands({ name, operands, subcommands = [] }: Command, words: readonly string[], usage: Complain): void {
  const [first = ''] = words
  if (operands === undefined) {
    if (words.length > 0) throw usage(`"${name}" takes no argument, but got "${first}"`)
    return
  }
  const { actions, others = [] } = operands
  if (words.length < operands.atLeast) {
    const missingNames = [...(actions === undefined ? [] : [actions.join('|')]), operands.name, ...others]
    const missing = missingNames[words.length] ?? operands.name
    throw usage(`missing ${missing}: ${operands.summary}`)
  }
  if (words.length > operands.atMost) throw usage(`unexpected argument "${words[operands.atMost] ?? ''}"`)
  if (actions !== undefined && words.length > 0) checkChoice({ name: 'action', choices: actions }, first, usage)
  const names = subcommands.map((each) => each.name.slice(name.length + 1))
  const choices = operands.choices === undefined ? undefined : [...operands.choices, ...names]
  for (const word of actions === undefined ? words : words.slice(1)) {
    checkChoice({ name: operands.name, ...defined({ choices }) }, word, usage)
  }
}

function checkChoice({ name, choices }: Pick<Operands, 'name' | 'choices'>, word: string, usage: Complain): void {
  if (word === '') throw usage(`empty ${name}`)
  if (choices === undefined || choices.includes(word)) return
  throw usage(`unknown ${name} "${word}"${didYouMean(word, choices)} (${choices.join(', ')})`)
}

/** Parses the words of a command: operands are in `_`. Unknown options are included. */
function parseWords({ options }: Pick<Command, 'options'>, args: readonly string[]): Arguments {
  const names = (isMeant: (spec: OptionSpec) => boolean): string[] =>
    Object.entries(options).flatMap(([name, spec]) => (isMeant(spec) ? name : []))
  return yargsParser([...args], {
    boolean: names(({ kind }) => kind === 'flag'),
    string: names(({ kind }) => kind !== 'flag'),
    array: names(({ kind }) => kind === 'list'),
    alias: Object.fromEntries(Object.entries(options).flatMap(([name, { alias }]) => (alias ? [[name, alias]] : []))),
    configuration: PLAIN_WORDS,
  })
}
