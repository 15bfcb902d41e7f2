/** One argument of a kernel; `value` is null where it stands alone, without `=`. */
export interface KernelArgument {
  readonly name: string
  readonly value: string | null
}

/**
 * The arguments that a kernel takes of its command line, in their order. Double quotes keep spaces together, and are no part of
 * a value, or argument, that begins with one. What stands behind `--` is for the first program, not for the kernel.
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

/** Whether two names are the same argument: `-` and `_` are. */
export function isSameArgument(left: string, right: string): boolean {
  return left.replaceAll('-', '_') === right.replaceAll('-', '_')
}

/** Every occurrence of an argument, in their order. */
export function occurrencesOf(name: string, commandLine: string): readonly KernelArgument[] {
  return parseCommandLine(commandLine).filter((each) => isSameArgument(each.name, name))
}

/** Between quotes nothing ends a word; one that is not closed goes on to the end. */
function wordsOf(text: string): readonly string[] {
  return text.replace(/\n$/, '').match(/(?:[^\s"]|"[^"]*(?:"|$))+/g) ?? []
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
