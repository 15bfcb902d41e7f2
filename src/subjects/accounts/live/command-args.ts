/** What stands behind the name of a program of shadow: options, and the account or group that it is about. */
export interface CommandArgs {
  readonly name: string
  readonly options: readonly string[]
}

/** Options with their values; `flags` take no value. */
export function pairsOf(options: readonly string[], flags: readonly string[]): readonly (readonly [string, string])[] {
  const pairs: [string, string][] = []
  for (let at = 0; at < options.length; at++) {
    const option = options[at] ?? ''
    if (flags.includes(option)) pairs.push([option, ''])
    else pairs.push([option, options[++at] ?? ''])
  }
  return pairs
}
