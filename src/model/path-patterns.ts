import { compileGlob, globProblem } from './go-glob.ts'

// Patterns for relative paths, matched name by name while descending: once no pattern can match, the check costs
// nothing, and no path is concatenated for a comparison.

/** A position within a pattern: the matcher for the next name, and the position after it. */
interface Position {
  /** Undefined for `**`, which matches any number of directories. */
  readonly fits: ((name: string) => boolean) | undefined
  /** Undefined at the end of the pattern. */
  readonly next: Position | undefined
  /** Whether the position stays active in subdirectories: it is a `**` or follows one. */
  readonly isKept: boolean
}

/** The active positions of all patterns in a directory. */
export type PatternState = readonly Position[]

/** The match of one name: whether the whole path matches, and the positions below it. */
export interface PatternStep {
  readonly isMatch: boolean
  readonly below: PatternState
}

/** The state without any possible match. */
export const NO_PATTERNS: PatternState = []

/**
 * Compiles patterns to their initial state. A pattern without a slash matches names at any depth, otherwise the whole
 * path; `**` as a name matches any number of directories, and after the last slash everything below. The rest follows
 * `compileGlob`. An invalid pattern matches nothing.
 */
export function compilePatterns(patterns: readonly string[]): PatternState {
  return patterns.flatMap((pattern) => startOf(pattern.includes('/') ? pattern : `**/${pattern}`))
}

/** Compiles patterns to a test of whole paths. */
export function compileWhole(patterns: readonly string[]): (path: string) => boolean {
  const start = patterns.flatMap(startOf)
  return (path) => {
    let step: PatternStep = { isMatch: false, below: start }
    for (const name of path.split('/')) step = stepInto(step.below, name)
    return step.isMatch
  }
}

/** A pattern that matches only this path. */
export function patternOf(path: string): string {
  return path.replaceAll(/[\\*?[\]{}]/g, String.raw`\$&`)
}

function startOf(pattern: string): PatternState {
  const start = positionOf(segmentsOf(pattern), 'exactly')
  return start === undefined ? [] : reachable(start)
}

/** Why a pattern is invalid, as the end of a sentence that starts with it; undefined if it is valid. */
export function patternProblem(pattern: string): string | undefined {
  const segments = pattern.split('/')
  if (pattern.startsWith('/')) return 'starts with a slash: patterns are relative to the directory'
  if (segments.includes('')) return 'has an empty name'
  if (segments.some((segment) => segment === '.' || segment === '..')) return 'has a name that is "." or ".."'
  if (segments.some((segment) => segment !== '**' && segment.includes('**')))
    return 'has "**" next to other characters: it matches whole directories'
  // Other dialects support these, and a pattern that never matches would go unnoticed.
  if (/(?<!\\)[{}]/.test(pattern)) return 'has braces: write one pattern for each alternative'
  if (/(?<!\\)\[!/.test(pattern)) return 'has "[!": write "[^" for any other character'
  return segments.map(globProblem).find((problem) => problem !== undefined)
}

/** Whether the next name may complete a pattern. */
export function mayEnd(state: PatternState): boolean {
  return state.some(({ fits, next }) => fits !== undefined && next === undefined)
}

export function stepInto(state: PatternState, name: string): PatternStep {
  if (state.length === 0) return MISS
  let isMatch = false
  let reached: Position[] | undefined
  for (const { fits, next } of state) {
    if (fits === undefined || !fits(name)) continue
    if (next === undefined) isMatch = true
    else reached = [...(reached ?? []), ...reachable(next)]
  }
  // Below `**` the state usually stays the same.
  const kept = state.every(isKeptPosition) ? state : state.filter(isKeptPosition)
  return { isMatch, below: reached === undefined ? kept : [...new Set([...kept, ...reached])] }
}

const MISS: PatternStep = { isMatch: false, below: NO_PATTERNS }

function isKeptPosition({ isKept }: Position): boolean {
  return isKept
}

/** `**` may match zero directories. */
function reachable(position: Position): readonly Position[] {
  const { fits, next } = position
  return fits === undefined && next !== undefined ? [position, ...reachable(next)] : [position]
}

function segmentsOf(pattern: string): readonly string[] {
  const segments = pattern.split('/')
  return segments.at(-1) === '**' ? [...segments, '*'] : segments
}

function positionOf([segment, ...rest]: readonly string[], where: 'exactly' | 'anywhere'): Position | undefined {
  if (segment === undefined) return undefined
  if (segment === '**') return { fits: undefined, next: positionOf(rest, 'anywhere'), isKept: true }
  return { fits: compileSegment(segment), next: positionOf(rest, 'exactly'), isKept: where === 'anywhere' }
}

/** A name without special characters is the most common and the fastest case. */
function compileSegment(segment: string): (name: string) => boolean {
  const [start, end, ...others] = segment.split('*')
  if (/[?[\\]/.test(segment) || start === undefined || others.length > 0) return compileGlob(segment) ?? (() => false)
  if (end === undefined) return (name) => name === segment
  return (name) => name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end)
}
