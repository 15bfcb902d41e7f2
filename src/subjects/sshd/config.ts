import { known, type Reading, unknown } from '../../model/observation.ts'
import { expandGlob } from '../../settings/glob.ts'
import type { ConfigFiles } from '../../settings/surface.ts'
import { isGlobalOnly, keywordNamed } from './keywords.ts'
import { parseSshdLine } from './line.ts'
import { type Criterion, parseCriteria } from './match.ts'

/** Position in a configuration. */
export interface Place {
  readonly file: string
  /** From 1. */
  readonly line: number
}

/** The head of a Match block. */
export interface MatchBlock extends Place {
  readonly criteria: readonly Criterion[]
  /** As it is written, without the word Match. */
  readonly text: string
}

/** Line that sets a keyword. */
export interface Statement extends Place {
  /** In lower case, with aliases resolved. */
  readonly keyword: string
  readonly words: readonly string[]
  /** The rest of the line after the keyword, as written. */
  readonly text: string
  /** The Match blocks around the line, outermost first: several if a block includes a file with blocks. */
  readonly blocks: readonly MatchBlock[]
}

/** A configuration with its included files in place. */
export interface SshdConfig {
  readonly statements: readonly Statement[]
  /** All files that were read, the main one first. */
  readonly files: readonly string[]
}

/** Base directory of relative Include paths. */
const DIRECTORY = '/etc/ssh'

/** SERVCONF_MAX_DEPTH of servconf.c. */
const MAX_DEPTH = 16

interface Reader {
  readonly reader: Pick<ConfigFiles, 'text' | 'names'>
  readonly statements: Statement[]
  readonly files: string[]
}

/**
 * Reads a configuration file of sshd. `null` if the main file does not exist; unknown if a file cannot be read or sshd rejects
 * it.
 */
export function readSshdConfig(reader: Pick<ConfigFiles, 'text' | 'names'>, main: string): Reading<SshdConfig | null> {
  const text = reader.text(main)
  if (text.kind === 'unknown') return text
  if (text.value === null) return known(null)
  const all: Reader = { reader, statements: [], files: [] }
  const problem = readFile(all, { file: main, text: text.value, blocks: [], depth: 0 })
  return problem ?? known({ statements: all.statements, files: all.files })
}

interface Text {
  readonly file: string
  readonly text: string
  readonly blocks: readonly MatchBlock[]
  readonly depth: number
}

type Problem = ReturnType<typeof unknown>

function readFile(all: Reader, { file, text, blocks: outer, depth }: Text): Problem | undefined {
  if (depth > MAX_DEPTH) return unknown('invalid', `${file}: more than ${MAX_DEPTH} files include one another`)
  all.files.push(file)
  let blocks = outer
  for (const [index, written] of text.split('\n').entries()) {
    const place = { file, line: index + 1 }
    const line = parseSshdLine(written)
    if (line.kind === 'empty') continue
    if (line.kind === 'invalid') return refused(place, line.problem)
    if (line.keyword === 'match') {
      const criteria = parseCriteria(line.text)
      if (criteria === undefined) return refused(place, `Match ${line.text} is no condition`)
      blocks = [...outer, { ...place, criteria, text: line.text }]
    } else if (line.keyword === 'include') {
      const problem = include(all, { ...place, patterns: line.words, blocks, depth })
      if (problem !== undefined) return problem
    } else {
      const keyword = keywordNamed(line.keyword)
      if (isGlobalOnly(keyword) && !blocks.every(isForAll)) {
        return refused(place, `${line.keyword} is not allowed in a Match block`)
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
  if (patterns.length === 0) return refused(inclusion, 'Include names no file')
  for (const pattern of patterns) {
    const absolute = pattern.startsWith('/') ? pattern : `${DIRECTORY}/${pattern}`
    const paths = expandGlob(all.reader, absolute)
    if (paths.kind === 'unknown') return paths
    for (const file of paths.value) {
      const problem = includeFile(all, inclusion, { file, isNamed: file === absolute })
      if (problem !== undefined) return problem
    }
  }
  return undefined
}

function includeFile(
  all: Reader,
  { blocks, depth, ...place }: Omit<Inclusion, 'patterns'>,
  { file, isNamed }: { readonly file: string; readonly isNamed: boolean },
): Problem | undefined {
  const text = all.reader.text(file)
  if (text.kind === 'unknown') return text
  if (text.value !== null) return readFile(all, { file, text: text.value, blocks, depth: depth + 1 })
  return isNamed ? undefined : refused(place, `${file} leads nowhere`)
}

/** `Match all`, which also applies before a connection. */
export function isForAll({ criteria }: MatchBlock): boolean {
  return criteria.every(({ name }) => name === 'all')
}

function refused(place: Place, problem: string): Problem {
  return unknown('invalid', `${place.file}:${place.line}: ${problem}, so sshd does not start with it`)
}
