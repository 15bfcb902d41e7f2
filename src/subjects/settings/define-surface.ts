import { defined } from '../../model/defined.ts'
import { known, type Reading } from '../../model/observation.ts'
import { keyOfFormat } from '../../settings/generic.ts'
import { branded } from '../../resource-type/brand.ts'
import { expandGlob } from '../../settings/glob.ts'
import { anyExists, parseAll } from '../../settings/reading.ts'
import type { Activation, ConfigFiles, KeyRules, Surface } from '../../settings/surface.ts'
import { BITS, COUNTS, FOLDED, NUMBERS, VALUES } from '../../settings/values.ts'
import { FORMAT_OF, type SurfaceFormat } from './surfaces.ts'

/** How the values of a key compare, by name. */
const KINDS = {
  /** Numbers by their size, items of lists in their order, everything else as it is written. */
  text: VALUES,
  /** Words of any case, and numbers. */
  word: FOLDED,
  /** Decimal numbers. */
  number: NUMBERS,
  /** Decimal numbers of which 0 means no limit. */
  limit: COUNTS,
  /** Permission bits in octal. */
  bits: BITS,
} as const

/** What is known of a key. */
export interface SurfaceKey {
  /** How its values compare; `text` by default. */
  readonly kind?: keyof typeof KINDS
  /** The words of the program for true and false. */
  readonly switch?: readonly [on: string, off: string]
  /** What the program uses where no file has the key. */
  readonly default?: string
  /** Which of several lines is effective; that of the surface by default. `all` makes them one list. */
  readonly wins?: 'first' | 'last' | 'all'
}

/** What makes a surface of `setting`. */
export interface SurfaceDefinition {
  /** What policies write before the colon: a name with a dot, such as `acme.redis`. */
  readonly name: string
  /** One sentence: which files in which order, which of several lines wins, and where a fix writes. */
  readonly summary: string
  /** The files in the order in which the program reads them; `*` and `?` stand for names, sorted. A missing file has no lines. */
  readonly files: readonly [string, ...string[]]
  /** How they are written. */
  readonly format: SurfaceFormat
  /** Which of several lines is effective; the last by default. */
  readonly wins?: 'first' | 'last'
  /** What is known of keys by name, as `key` or `section.key`. Other keys are allowed. */
  readonly keys?: Readonly<Record<string, SurfaceKey>>
  /** The file in which a fix writes: one that the program reads where its lines win. The last of `files` by default, if it is no pattern. */
  readonly writes?: string
  /** Paths of which one exists where the program is installed; the first of `files` by default. */
  readonly installed?: readonly string[]
  /** What makes a running program use what is written; nothing by default. */
  readonly activation?: Activation
  /** What a change may cut off, one of `RISKS`. */
  readonly risk?: string
}

/** A surface that a plugin adds. */
export type PluginSurface = Pick<Surface, 'name' | 'summary'>

/**
 * Defines where a program has its configuration, so that policies can ask for its keys with `setting`. Throws an `Error` that says
 * what is wrong with the definition.
 */
export function defineSurface(definition: SurfaceDefinition): PluginSurface {
  const { name, summary, files: paths, format: formatName, keys = {}, wins = 'last' } = definition
  const { installed = [paths[0]], writes = paths.at(-1) ?? '', activation = { kind: 'none' }, risk } = definition
  const wrong = (problem: string): Error => new Error(`surface ${JSON.stringify(name)}: ${problem}`)
  if (!/^[a-z][a-z0-9_-]*(?:\.[a-z][a-z0-9_-]*)+$/.test(name)) throw wrong('its name needs a dot, as in "acme.redis"')
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
  return branded(surface, 'surface')
}

function rulesOf(
  { kind = 'text', wins, switch: words, default: preset }: SurfaceKey,
  usual: 'first' | 'last',
): KeyRules {
  return { order: KINDS[kind], wins: wins ?? usual, ...defined({ switch: words, default: preset }) }
}

/** The files in the order in which they are read, each once. */
function filesOf(files: ConfigFiles, patterns: readonly string[]): Reading<readonly string[]> {
  const all = new Set<string>()
  for (const pattern of patterns) {
    const paths = expandGlob(files, pattern)
    if (paths.kind === 'unknown') return paths
    for (const path of paths.value) all.add(path)
  }
  return known([...all])
}
