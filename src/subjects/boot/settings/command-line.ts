import { withBlanksOfC } from '../../../settings/blanks.ts'

/** Kernel argument; `value` is null for an argument without `=`. */
export interface KernelArgument {
  readonly name: string
  readonly value: string | null
}

/**
 * Parses a kernel command line in order. Double quotes keep spaces, and are removed if they open a value or argument. Arguments
 * after `--` are for init, not for the kernel.
 * @see lib/cmdline.c, next_arg, and kernel/params.c, parse_args
 */
export function parseCommandLine(text: string): readonly KernelArgument[] {
  const found: KernelArgument[] = []
  for (const word of wordsOf(text)) {
    const argument = argumentOf(word)
    if (argument.name === '--' && argument.value === null) break
    found.push(argument)
  }
  return found
}

/** Whether two names are the same argument: `-` equals `_`. */
export function isSameArgument(left: string, right: string): boolean {
  return left.replaceAll('-', '_') === right.replaceAll('-', '_')
}

/** All occurrences of an argument, in order. */
export function occurrencesOf(name: string, commandLine: string): readonly KernelArgument[] {
  return parseCommandLine(commandLine).filter((each) => isSameArgument(each.name, name))
}

/** Quoted spaces do not end a word; an unclosed quote extends to the end. */
function wordsOf(text: string): readonly string[] {
  return text.replace(/\n$/, '').match(withBlanksOfC(/(?:[^\s"]|"[^"]*(?:"|$))+/g)) ?? []
}

function argumentOf(word: string): KernelArgument {
  const isQuoted = word.startsWith('"')
  const bare = isQuoted ? word.slice(1) : word
  const equals = bare.indexOf('=', 1)
  const value = equals === -1 ? undefined : bare.slice(equals + 1)
  const isValueQuoted = value?.startsWith('"') === true
  const end = (isQuoted || isValueQuoted) && bare.endsWith('"') ? bare.length - 1 : bare.length
  if (value === undefined) return { name: bare.slice(0, end), value: null }
  const start = equals + (isValueQuoted ? 2 : 1)
  return { name: bare.slice(0, equals), value: bare.slice(start, Math.max(start, end)) }
}
