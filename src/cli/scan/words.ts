import { isAbsolute } from 'node:path'
import type { OptionSpec, OptionSpecs } from '../command.ts'
import { below, locatedIn } from '../options/locate.ts'
import { locatePlugin } from '../plugins/locate-plugin.ts'

/** What a command line says of a scan. */
export interface ScanArguments {
  readonly sources: readonly string[]
  /** The options it names, with their values as parsing gave them. */
  readonly said: Readonly<Record<string, unknown>>
}

/**
 * The words behind `driftgate` of a scan that means the same wherever it is started from: every path is absolute. Options
 * not among `specs` are left out. Throws an `OperatorError` for a plugin that is not there.
 */
export function scanWords({ sources, said }: ScanArguments, specs: OptionSpecs, directory: string): readonly string[] {
  const options = Object.entries(specs).flatMap(([name, spec]) =>
    Object.hasOwn(said, name) ? optionWords(name, spec, said[name], directory) : [],
  )
  return ['scan', ...sources.map((source) => below(directory, source)), ...options]
}

function optionWords(name: string, spec: OptionSpec, value: unknown, directory: string): readonly string[] {
  if (spec.kind === 'flag') return [value === true ? `--${name}` : `--${name}=false`]
  const values = Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [String(value)]
  return values.map((text) => {
    if (name === 'plugin') return `--${name}=${locatePlugin(text, directory)}`
    // A place that driftgate chooses itself, or none that depends on where it is started.
    if (spec.kind === 'optional-text' && text === spec.implied && !isRelativePath(spec, text)) return `--${name}`
    return `--${name}=${locatedIn(directory, spec, text)}`
  })
}

function isRelativePath(spec: OptionSpec, text: string): boolean {
  return 'holds' in spec && spec.holds === 'path' && text !== '' && !isAbsolute(text)
}

/** Whether a scan of these words reads something from standard input, which is there only once, or never. */
export function readsStandardInput(words: readonly string[]): boolean {
  return words.some((word) => word === '-' || (/^--[a-z-]+=-$/.test(word) && !word.startsWith('--report=')))
}
