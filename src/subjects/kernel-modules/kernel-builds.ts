import { known, type Reading, unknown } from '../../model/observation.ts'

/**
 * Build options of a kernel: the value of each option that is set, as `y`, `m`, a number or a string without quotes.
 */
export type KernelOptions = ReadonlyMap<string, string>

export interface KernelBuild {
  readonly release: string
  readonly file: string
  readonly options: KernelOptions
}

/** The build options of the kernels of a target, read-only. Read once, and again after `forget`. */
export interface KernelBuilds {
  running(): Promise<Reading<KernelBuild>>
  /** The other kernels that can be booted; unknown as a whole if the options of one of them are unknown. */
  installed(): Promise<Reading<readonly KernelBuild[]>>
  forget(): void
}

const SET = /^(CONFIG_\w+)=(.+)$/
const NOTHING = /^(?:#.*)?$/
const TEXT = /^"((?:[^"\\]|\\.)*)"$/

/**
 * Parses a .config as the kernel build writes it. A file without options, without a final newline or with an invalid line
 * is unknown: options missing from a truncated file would count as not set.
 */
export function parseKernelOptions(text: string, file: string): Reading<KernelOptions> {
  const options = new Map<string, string>()
  for (const [index, line] of text.split('\n').entries()) {
    const [, name, value = ''] = SET.exec(line) ?? []
    if (name !== undefined) options.set(name, TEXT.exec(value)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? value)
    else if (!NOTHING.test(line)) return unknown('invalid', `${file}:${index + 1} is not a kernel configuration line`)
  }
  if (options.size === 0 || !text.endsWith('\n'))
    return unknown('invalid', `${file} is not a complete kernel configuration`)
  return known(options)
}
