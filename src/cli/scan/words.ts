import { isAbsolute } from 'node:path'
import type { OptionSpec, OptionSpecs } from '../command.ts'
import { resolveIn, locatedIn } from '../options/locate.ts'
import { locatePlugin } from '../plugins/locate-plugin.ts'

/** Scan arguments of a command line. */
export interface ScanArguments {
  readonly sources: readonly string[]
  /** Options given, with their parsed values. */
  readonly said: Readonly<Record<string, unknown>>
}

/**
 * Arguments for an equivalent scan from any directory: all paths are absolute. Options not in `specs` are omitted.
 * Throws an `OperatorError` for a missing plugin.
 */
export function scanWords({ sources, said }: ScanArguments, specs: OptionSpecs, directory: string): readonly string[] {
  const options = Object.entries(specs).flatMap(([name, spec]) =>
    Object.hasOwn(said, name) ? optionWords(name, spec, said[name], directory) : [],
  )
  return ['scan', ...sources.map((source) => resolveIn(directory, source)), ...options]
}

function optionWords(name: string, spec: OptionSpec, value: unknown, directory: string): readonly string[] {
  if (spec.kind === 'flag') return [value === true ? `--${name}` : `--${name}=false`]
  const values = Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [String(value)]
  return values.map((text) => {
    if (name === 'plugin') return `--${name}=${locatePlugin(text, directory)}`
    // A default location, or a value independent of the working directory.
    if (spec.kind === 'optional-text' && text === spec.implied && !isRelativePath(spec, text)) return `--${name}`
    return `--${name}=${locatedIn(directory, spec, text)}`
  })
}

function isRelativePath(spec: OptionSpec, text: string): boolean {
  return 'holds' in spec && spec.holds === 'path' && text !== '' && !isAbsolute(text)
}

/** True if the scan reads standard input, which cannot be read twice. */
export function readsStandardInput(words: readonly string[]): boolean {
  return words.some((word) => word === '-' || (/^--[a-z-]+=-$/.test(word) && !word.startsWith('--report=')))
}
