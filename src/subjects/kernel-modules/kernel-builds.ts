import { known, type Reading, unknown } from '../../model/observation.ts'

/** What a kernel was built with: the value of each option that is set, as `y`, `m`, a number or a text without its quotes. */
export type KernelOptions = ReadonlyMap<string, string>

/** A kernel with where its options are written. */
export interface KernelBuild {
  readonly release: string
  readonly file: string
  readonly options: KernelOptions
}

/** The build options of the kernels of a target, read-only. Read once, and again after `forget`. */
export interface KernelBuilds {
  running(): Promise<Reading<KernelBuild>>
  /** Those that can be started in place of the running one; unknown as a whole where what one of them was built with is. */
  installed(): Promise<Reading<readonly KernelBuild[]>>
  forget(): void
}

const SET = /^(CONFIG_\w+)=(.+)$/
const NOTHING = /^(?:#.*)?$/
const TEXT = /^"((?:[^"\\]|\\.)*)"$/

/**
 * The options of a .config as the build writes it. One without an option, without the end of its last line, or with a line that
 * is something else is unknown: what is missing in a part of a file would count as not set.
 */
export function parseKernelOptions(text: string, file: string): Reading<KernelOptions> {
  const options = new Map<string, string>()
  for (const [index, line] of text.split('\n').entries()) {
    const [, name, value = ''] = SET.exec(line) ?? []
    if (name !== undefined) options.set(name, TEXT.exec(value)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? value)
    else if (!NOTHING.test(line)) return unknown('invalid', `${file}:${index + 1} is no line of a kernel configuration`)
  }
  if (options.size === 0 || !text.endsWith('\n')) return unknown('invalid', `${file} is no whole kernel configuration`)
  return known(options)
}
