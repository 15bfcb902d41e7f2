import { trimBlanksOfC } from '../../settings/blanks.ts'
import { dirname } from 'node:path'
import { known, type Reading, unknown } from '../../model/observation.ts'
import { expandGlob } from '../../settings/glob.ts'
import type { ConfigFiles } from '../../settings/surface.ts'
import { isGlobalOnly, keywordNamed } from './keywords.ts'
import { parseSshdLine } from './line.ts'
import { type Criterion, parseCriteria } from './match.ts'

export interface Place {
  readonly file: string
  /** From 1. */
  readonly line: number
}

export interface MatchBlock extends Place {
  readonly criteria: readonly Criterion[]
  /** As it is written, without the first word. */
  readonly text: string
}

export interface Statement extends Place {
  /** In lower case, with aliases resolved. */
  readonly keyword: string
  readonly words: readonly string[]
  /** The rest of the line after the keyword, as written. */
  readonly text: string
  /** The Match blocks around the line, outermost first: several if a block includes a file with blocks. */
  readonly blocks: readonly MatchBlock[]
}

export interface SshdConfig {
  readonly statements: readonly Statement[]
  /** All files that were read, the main one first. */
  readonly files: readonly string[]
  /** The directories in which Include looks for files, whether it finds one or not. */
  readonly directories: readonly string[]
}

/** How a program of OpenSSH reads its configuration. */
export interface Dialect {
  readonly program: string
  /** What follows if it rejects a line. */
  readonly consequence: string
  /** The conditions of a line that begins a block; `null` for other lines, undefined if it rejects them. */
  readonly criteriaOf: (keyword: string, text: string) => readonly Criterion[] | null | undefined
  /** The keyword in lower case, with aliases resolved. */
  readonly keywordNamed: (written: string) => string
  readonly isGlobalOnly: (keyword: string) => boolean
  /** Whether each file that matches a pattern must exist. */
  readonly needsIncluded: boolean
}

const SERVER: Dialect = {
  program: 'sshd',
  consequence: 'sshd does not start',
  criteriaOf: (keyword, text) => (keyword === 'match' ? parseCriteria(text) : null),
  keywordNamed,
  isGlobalOnly,
  needsIncluded: true,
}

/** Base directory of relative Include paths. */
const DIRECTORY = '/etc/ssh'

/** SERVCONF_MAX_DEPTH of servconf.c. */
const MAX_DEPTH = 16

interface Reader {
  readonly dialect: Dialect
  readonly reader: Pick<ConfigFiles, 'text' | 'names'>
  readonly statements: Statement[]
  readonly files: string[]
  readonly directories: string[]
}

/**
 * Reads a configuration file, of sshd if nothing else is said. `null` if the main file does not exist; unknown if a file cannot
 * be read or the program rejects it.
 */
export function readSshdConfig(
  reader: Pick<ConfigFiles, 'text' | 'names'>,
  main: string,
  dialect: Dialect = SERVER,
): Reading<SshdConfig | null> {
  const text = reader.text(main)
  if (text.kind === 'unknown') return text
  if (text.value === null) return known(null)
  const all: Reader = { dialect, reader, statements: [], files: [], directories: [] }
  const problem = readFile(all, { file: main, text: text.value, blocks: [], depth: 0 })
  return problem ?? known({ statements: all.statements, files: all.files, directories: all.directories })
}

interface Text {
  readonly file: string
  readonly text: string
  readonly blocks: readonly MatchBlock[]
  readonly depth: number
}

type Problem = ReturnType<typeof unknown>

function readFile(all: Reader, { file, text, blocks: outer, depth }: Text): Problem | undefined {
  const { dialect } = all
  if (depth > MAX_DEPTH) return unknown('invalid', `${file}: includes are nested more than ${MAX_DEPTH} levels deep`)
  all.files.push(file)
  let blocks = outer
  for (const [index, written] of text.split('\n').entries()) {
    const place = { file, line: index + 1 }
    if (written.includes('\0'))
      return unknown(
        'invalid',
        `${file}:${place.line}: ${dialect.program} joins this line with the next one at a NUL byte`,
      )
    const line = parseSshdLine(written)
    if (line.kind === 'empty') continue
    if (line.kind === 'invalid') return refusedConfig(dialect, place, line.problem)
    const criteria = dialect.criteriaOf(line.keyword, line.text)
    if (criteria === undefined) return refusedConfig(dialect, place, `invalid condition "${trimBlanksOfC(written)}"`)
    if (criteria !== null) {
      blocks = [...outer, { ...place, criteria, text: line.text }]
    } else if (line.keyword === 'include') {
      const problem = include(all, { ...place, patterns: line.words, blocks, depth })
      if (problem !== undefined) return problem
    } else {
      const keyword = dialect.keywordNamed(line.keyword)
      if (dialect.isGlobalOnly(keyword) && !blocks.every(isForAll)) {
        return refusedConfig(dialect, place, `${line.keyword} is not allowed in a Match block`)
      }
      all.statements.push({ ...place, keyword, words: line.words, text: line.text, blocks })
    }
  }
  return undefined
}

interface Inclusion extends Place {
  readonly patterns: readonly string[]
  readonly blocks: readonly MatchBlock[]
  readonly depth: number
}

/** A pattern without matches includes nothing, but a matching file must exist. */
function include(all: Reader, { patterns, ...inclusion }: Inclusion): Problem | undefined {
  if (patterns.length === 0) return refusedConfig(all.dialect, inclusion, 'Include without a file')
  for (const pattern of patterns) {
    if (pattern.includes('\\'))
      return unknown(
        'invalid',
        `${inclusion.file}:${inclusion.line}: the backslash in Include ${pattern} is not followed`,
      )
    const absolute = pattern.startsWith('/') ? pattern : `${DIRECTORY}/${pattern}`
    const places = directoriesOf(all.reader, absolute)
    if (places.kind === 'unknown') return places
    all.directories.push(...places.value)
    const paths = expandGlob(all.reader, absolute)
    if (paths.kind === 'unknown') return paths
    for (const file of paths.value) {
      const problem = includeFile(all, inclusion, { file, isNamed: file === absolute })
      if (problem !== undefined) return problem
    }
  }
  return undefined
}

/** The directories of a pattern: a new file or directory in one of them may match. */
function directoriesOf(reader: Reader['reader'], pattern: string): Reading<readonly string[]> {
  const place = dirname(pattern)
  const own = expandGlob(reader, place)
  if (own.kind === 'unknown' || !/[*?[]/.test(place)) return own
  const above = directoriesOf(reader, place)
  return above.kind === 'unknown' ? above : known([...above.value, ...own.value])
}

function includeFile(
  all: Reader,
  { blocks, depth, ...place }: Omit<Inclusion, 'patterns'>,
  { file, isNamed }: { readonly file: string; readonly isNamed: boolean },
): Problem | undefined {
  const text = all.reader.text(file)
  if (text.kind === 'unknown') return text
  if (text.value !== null) return readFile(all, { file, text: text.value, blocks, depth: depth + 1 })
  const isFine = isNamed || !all.dialect.needsIncluded
  return isFine ? undefined : refusedConfig(all.dialect, place, `${file} is a dangling link`)
}

/** `Match all`, which also applies before a connection. */
export function isForAll({ criteria }: MatchBlock): boolean {
  return criteria.every(({ name }) => name === 'all')
}

function refusedConfig({ consequence }: Dialect, place: Place, problem: string): Problem {
  return unknown('invalid', `${place.file}:${place.line}: ${problem}, so ${consequence}`)
}

/** The files of a configuration, the main one first, and the directories of the included ones. */
export function filesOf(config: Reading<SshdConfig | null>): Reading<readonly string[]> {
  if (config.kind === 'unknown') return config
  const { files = [], directories = [] } = config.value ?? {}
  return known([...files, ...directories])
}
