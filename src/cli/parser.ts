import yargsParser, { type Arguments } from 'yargs-parser'
import type { Command, OptionSpec } from './command.ts'

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

/** Parses the words of a command: operands are in `_`. Unknown options are included. */
export function parseWords({ options }: Pick<Command, 'options'>, args: readonly string[]): Arguments {
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
