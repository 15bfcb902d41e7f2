import { known, type Reading, unknown } from '../../model/observation.ts'
import { expandGlob } from '../../settings/glob.ts'
import type { ConfigFiles } from '../../settings/surface.ts'
import { isGlobalOnly, keywordNamed } from './keywords.ts'
import { parseSshdLine } from './line.ts'
import { type Criterion, parseCriteria } from './match.ts'

/** Where something is said. */
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

/** One line that sets something. */
export interface Statement extends Place {
  /** In lower case, and its own name where it was written by another one. */
  readonly keyword: string
  readonly words: readonly string[]
  /** All that follows the keyword, as it is written. */
  readonly text: string
  /** The Match blocks that it is in, the outermost first: more than one where a block includes a file with blocks. */
  readonly blocks: readonly MatchBlock[]
}

/** A configuration as it is read from its main file on, with the files it includes in their places. */
export interface SshdConfig {
  readonly statements: readonly Statement[]
  /** All files that were read, the main one first. */
  readonly files: readonly string[]
}

/** What is relative in an Include is below this directory. */
const DIRECTORY = '/etc/ssh'

/** SERVCONF_MAX_DEPTH of servconf.c. */
const MAX_DEPTH = 16

interface Reader {
  readonly reader: Pick<ConfigFiles, 'text' | 'names'>
  readonly statements: Statement[]
  readonly files: string[]
}

/**
 * Reads a configuration file of sshd. `null` where the main file is not there; unknown where a file cannot be read, or says
 * what sshd refuses to start with.
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

/** A pattern that matches nothing includes nothing, but what it matches has to be there. */
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

/** `Match all`, which is in force before a connection, too. */
export function isForAll({ criteria }: MatchBlock): boolean {
  return criteria.every(({ name }) => name === 'all')
}

function refused(place: Place, problem: string): Problem {
  return unknown('invalid', `${place.file}:${place.line}: ${problem}, so sshd does not start with it`)
}
