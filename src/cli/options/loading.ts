import type { OptionsOf, OptionSpecs } from '../command.ts'
import type { LoadOneOptions } from '../load-one.ts'
import type { Io } from '../output/io.ts'
import { BUNDLE_OPTIONS, checksumOf } from './bundle.ts'
import { EXTENSION_OPTIONS, loadRunExtensions } from './extension.ts'
import { INPUT_OPTIONS, inputsOf, isUntrusted, TRUST_OPTIONS } from './input.ts'

/** Options of commands that load policies. */
export const LOADING_OPTIONS = {
  ...INPUT_OPTIONS,
  ...TRUST_OPTIONS,
  ...BUNDLE_OPTIONS,
  ...EXTENSION_OPTIONS,
} as const satisfies OptionSpecs

/** Converts the options for `withOne`, with the types and facts of plugins. Throws an `OperatorError` for wrong usage. */
export async function loadingOf(
  sources: readonly string[],
  options: OptionsOf<typeof LOADING_OPTIONS>,
  command: string,
  io: Io,
): Promise<Omit<LoadOneOptions, 'source'> & { readonly untrusted: boolean }> {
  const checksum = await checksumOf(sources, options, command)
  const { types, facts } = await loadRunExtensions(options, io)
  return { ...inputsOf(options, facts), ...checksum, untrusted: isUntrusted(sources, options), types, command, io }
}
