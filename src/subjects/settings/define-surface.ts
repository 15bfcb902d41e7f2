import { defined } from '../../model/defined.ts'
import { known, type Reading } from '../../model/observation.ts'
import { keyOfFormat } from '../../settings/generic.ts'
import { addBrand, PLUGIN_NAME } from '../../resource-type/brand.ts'
import { expandGlob } from '../../settings/glob.ts'
import { anyExists, parseAll } from '../../settings/reading.ts'
import type { Activation, ConfigFiles, KeyRules, Surface } from '../../settings/surface.ts'
import { BITS, COUNTS, FOLDED, NUMBERS, VALUES } from '../../settings/values.ts'
import { FORMAT_OF, type SurfaceFormat } from './formats.ts'

/** Comparisons of values, by name. */
const KINDS = {
  /** Numbers by value, lists item by item, all other values as written. */
  text: VALUES,
  /** Case-insensitive words, and numbers. */
  word: FOLDED,
  /** Decimal numbers. */
  number: NUMBERS,
  /** Decimal numbers; 0 means unlimited. */
  limit: COUNTS,
  /** Permission bits in octal. */
  bits: BITS,
} as const

/** The rules for a key. */
export interface SurfaceKey {
  /** The comparison of values; `text` by default. */
  readonly kind?: keyof typeof KINDS
  /** The program's words for true and false. */
  readonly switch?: readonly [on: string, off: string]
  /** The default of the program if no file sets the key. */
  readonly default?: string
  /** Which of several lines is effective; by default as for the surface. `all` joins them into one list. */
  readonly wins?: 'first' | 'last' | 'all'
}

/** The definition of a surface for `setting`. */
export interface SurfaceDefinition {
  /** The name before the colon in policies; contains a dot, such as `acme.redis`. */
  readonly name: string
  /** One sentence: the files in load order, which of several lines wins, and the file that a fix writes. */
  readonly summary: string
  /** Files in load order; `*` and `?` match file names, sorted. A missing file has no lines. */
  readonly files: readonly [string, ...string[]]
  /** The format of the files. */
  readonly format: SurfaceFormat
  /** Which of several lines is effective; the last by default. */
  readonly wins?: 'first' | 'last'
  /** Rules for known keys, as `key` or `section.key`. Other keys are allowed. */
  readonly keys?: Readonly<Record<string, SurfaceKey>>
  /**
   * The file that a fix writes, where its lines take precedence. The last of `files` by default, unless that is a pattern.
   */
  readonly writes?: string
  /** Paths of which at least one exists if the program is installed; the first of `files` by default. */
  readonly installed?: readonly string[]
  /** How a running program applies a change; by default, nothing is run. */
  readonly activation?: Activation
  /** The connection or access that a change may cut off, one of `RISKS`. */
  readonly risk?: string
}

/** A surface from a plugin. */
export type PluginSurface = Pick<Surface, 'name' | 'summary'>

/**
 * Defines the configuration files of a program, so that policies can check its keys with `setting`. Throws an `Error` if
 * the definition is invalid.
 */
export function defineSurface(definition: SurfaceDefinition): PluginSurface {
  const { name, summary, files: paths, format: formatName, keys = {}, wins = 'last' } = definition
  const { installed = [paths[0]], writes = paths.at(-1) ?? '', activation = { kind: 'none' }, risk } = definition
  const wrong = (problem: string): Error => new Error(`surface ${JSON.stringify(name)}: ${problem}`)
  if (!PLUGIN_NAME.test(name)) throw wrong('its name needs a dot, as in "acme.redis"')
  const format = FORMAT_OF[formatName]
  if (format === undefined) throw wrong(`its format is one of ${Object.keys(FORMAT_OF).join(', ')}`)
  for (const path of [...paths, ...installed, writes]) {
    if (!path.startsWith('/')) throw wrong(`${JSON.stringify(path)} is not an absolute path`)
  }
  if (/[*?]/.test(writes)) throw wrong(`\`writes\` must name the file that a fix changes: ${writes} is a pattern`)
  const surface: Surface = {
    name,
    summary,
    ...defined({ risk }),
    installed: (files) => anyExists(files, installed),
    keyOf: (text) => keyOfFormat(text, format),
    rulesOf: ({ section, key }) => rulesOf(keys[section === '' ? key : `${section}.${key}`] ?? {}, wins),
    read(files) {
      const read = filesOf(files, paths)
      return read.kind === 'unknown' ? read : parseAll(files, read.value, format)
    },
    writes: () => ({ file: writes, format }),
    activation,
  }
  return addBrand(surface, 'surface')
}

function rulesOf(
  { kind = 'text', wins, switch: words, default: preset }: SurfaceKey,
  usual: 'first' | 'last',
): KeyRules {
  return { order: KINDS[kind], wins: wins ?? usual, ...defined({ switch: words, default: preset }) }
}

/** The files in load order, without duplicates. */
function filesOf(files: ConfigFiles, patterns: readonly string[]): Reading<readonly string[]> {
  const all = new Set<string>()
  for (const pattern of patterns) {
    const paths = expandGlob(files, pattern)
    if (paths.kind === 'unknown') return paths
    for (const path of paths.value) all.add(path)
  }
  return known([...all])
}
