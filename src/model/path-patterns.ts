import { compileGlob, globProblem } from './go-glob.ts'

// Patterns for the paths below a directory, compared name by name on the way down: what no pattern can match any more costs
// nothing, and a path is never put together for a comparison.

/** A place within a pattern: what the next name of the path is compared with, and where it goes on. */
interface Position {
  /** Undefined stands for any number of directories. */
  readonly fits: ((name: string) => boolean) | undefined
  /** Undefined where the pattern is at its end. */
  readonly next: Position | undefined
  /** Whether it is still to be compared one directory further down: it stands for directories, or behind what does. */
  readonly isKept: boolean
}

/** How far the patterns are matched by the path of a directory. */
export type PatternState = readonly Position[]

/** What a name means to the patterns: whether the path as a whole matches one, and how far they are matched with it. */
export interface PatternStep {
  readonly isMatch: boolean
  readonly below: PatternState
}

/** Where nothing can match any more. */
export const NO_PATTERNS: PatternState = []

/**
 * Patterns before the first name. Without a slash a pattern is compared with names at any depth, else with the whole path;
 * `**` as a name stands for any number of directories, and behind the last slash for everything below. The rest is as
 * `compileGlob` has it. A bad pattern matches nothing.
 */
export function compilePatterns(patterns: readonly string[]): PatternState {
  return patterns.flatMap((pattern) => startOf(pattern.includes('/') ? pattern : `**/${pattern}`))
}

/** Whether a path matches one of the patterns, which are all compared with the whole of it. */
export function compileWhole(patterns: readonly string[]): (path: string) => boolean {
  const start = patterns.flatMap(startOf)
  return (path) => {
    let step: PatternStep = { isMatch: false, below: start }
    for (const name of path.split('/')) step = stepInto(step.below, name)
    return step.isMatch
  }
}

/** The pattern that only this path matches. */
export function patternOf(path: string): string {
  return path.replaceAll(/[\\*?[\]{}]/g, String.raw`\$&`)
}

function startOf(pattern: string): PatternState {
  const start = positionOf(segmentsOf(pattern), 'exactly')
  return start === undefined ? [] : reachable(start)
}

/** Why a text is no such pattern, as the end of a sentence that starts with it; undefined for a good one. */
export function patternProblem(pattern: string): string | undefined {
  const segments = pattern.split('/')
  if (pattern.startsWith('/')) return 'begins with a slash: patterns are relative to the directory'
  if (segments.includes('')) return 'has an empty name'
  if (segments.some((segment) => segment === '.' || segment === '..')) return 'has a name that is "." or ".."'
  if (segments.some((segment) => segment !== '**' && segment.includes('**')))
    return 'has "**" beside something else in a name: it stands for whole directories'
  // In other dialects these mean something, and a pattern that matches nothing would go unseen.
  if (/(?<!\\)[{}]/.test(pattern)) return 'has braces: write a pattern for each of the alternatives'
  if (/(?<!\\)\[!/.test(pattern)) return 'has "[!": write "[^" for any other character'
  return segments.map(globProblem).find((problem) => problem !== undefined)
}

/** Whether the next name can be the last one of a pattern. */
export function mayEnd(state: PatternState): boolean {
  return state.some(({ fits, next }) => fits !== undefined && next === undefined)
}

/** Goes one name further. */
export function stepInto(state: PatternState, name: string): PatternStep {
  if (state.length === 0) return MISS
  let isMatch = false
  let reached: Position[] | undefined
  for (const { fits, next } of state) {
    if (fits === undefined || !fits(name)) continue
    if (next === undefined) isMatch = true
    else reached = [...(reached ?? []), ...reachable(next)]
  }
  // Behind `**` everything is as it was, in most directories and for most names.
  const kept = state.every(stays) ? state : state.filter(stays)
  return { isMatch, below: reached === undefined ? kept : [...new Set([...kept, ...reached])] }
}

const MISS: PatternStep = { isMatch: false, below: NO_PATTERNS }

function stays({ isKept }: Position): boolean {
  return isKept
}

/** Any number of directories may be none. */
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
  return { fits: fitting(segment), next: positionOf(rest, 'exactly'), isKept: where === 'anywhere' }
}

/** A name without anything special in it is the usual case, and comparing it the fastest. */
function fitting(segment: string): (name: string) => boolean {
  const [start, end, ...others] = segment.split('*')
  if (/[?[\\]/.test(segment) || start === undefined || others.length > 0) return compileGlob(segment) ?? (() => false)
  if (end === undefined) return (name) => name === segment
  return (name) => name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end)
}
