import { didYouMean } from '../../../../model/suggest.ts'
import type { Finder } from '../problem.ts'
import { parsePattern, type Pattern, regexProblem } from '../patterns.ts'
import type { GossContent } from '../resource.ts'
import { COMPARATORS, type Comparator, type Matcher, TEXT_WORDS, type TextWord, type Desired } from './matcher.ts'
import { parseSemverRange } from './semver.ts'

/** Parses a matcher. Undefined if invalid; reports problems to `find`. */
export function parseMatcher(value: GossContent, find: Finder): Matcher | undefined {
  if (value === null) return addProblem(find, 'is required')
  if (typeof value === 'string') return { kind: 'equal', wanted: value, asText: true }
  if (typeof value === 'number') return { kind: 'number', comparator: 'eq', wanted: value }
  if (typeof value === 'boolean') return { kind: 'equal', wanted: value, asText: false }
  if (isEmptyList(value)) return addProblem(find, NEEDS_ONE)
  if (isList(value)) {
    const elements = parseAll(value, find)
    return elements && { kind: 'contain-elements', elements, splits: false }
  }
  const [entry, ...others] = Object.entries(value)
  if (entry === undefined) return addProblem(find, 'needs a matcher, such as have-prefix')
  const [word, argument] = entry
  if (others.length > 0) {
    const words = Object.keys(value).join(', ')
    return addProblem(find, `contains several matchers (${words}): put them in a list below "and" or "or"`)
  }
  const parse = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined
  if (word === 'xml') return addProblem(find, 'driftgate does not support "xml": compare the text or use a command')
  if (parse === undefined) {
    return addProblem(find, `unknown matcher "${word}"${didYouMean(word, Object.keys(WORDS))}`)
  }
  return parse(argument, find.below(word))
}

type Parse = (argument: GossContent, find: Finder) => Matcher | undefined

const WORDS: Readonly<Record<string, Parse>> = {
  equal: (wanted, find) =>
    wanted === null ? addProblem(find, 'needs a value') : { kind: 'equal', wanted, asText: false },
  ...Object.fromEntries(COMPARATORS.map((word) => [word, comparison(word)])),
  ...Object.fromEntries(TEXT_WORDS.map((word) => [word, textual(word)])),
  'have-len': (wanted, find) =>
    typeof wanted === 'number'
      ? { kind: 'have-len', wanted: Math.trunc(wanted) }
      : addProblem(find, 'must be a number'),
  'have-patterns': (argument, find) => {
    const patterns = isEmptyList(argument) ? addProblem(find, NEEDS_ONE) : parsePatterns(argument, find)
    return patterns && { kind: 'have-patterns', patterns }
  },
  'have-key': (argument, find) => {
    const key = parseMatcher(argument, find)
    return key && { kind: 'have-key', key }
  },
  'contain-element'(argument, find) {
    if (argument === null || typeof argument === 'boolean' || isList(argument)) {
      return addProblem(find, 'must be a matcher, a text or a number')
    }
    const element = parseMatcher(argument, find)
    return element && { kind: 'contain-element', element }
  },
  'contain-elements': (argument, find) => {
    const elements = isEmptyList(argument) ? addProblem(find, NEEDS_ONE) : parseList(argument, find)
    return elements && { kind: 'contain-elements', elements, splits: true }
  },
  'consist-of': (argument, find) => {
    const elements = parseList(argument, find)
    return elements && { kind: 'consist-of', elements }
  },
  and: parseMatchers('and'),
  or: parseMatchers('or'),
  not: (argument, find) => {
    const matcher = parseMatcher(argument, find)
    return matcher && { kind: 'not', matcher }
  },
  'semver-constraint'(argument, find) {
    const range = typeof argument === 'string' ? parseSemverRange(argument) : undefined
    if (range === undefined || typeof argument !== 'string') {
      return addProblem(find, 'must be a range of semantic versions, such as ">=1.2.0 <2.0.0"')
    }
    return { kind: 'semver-constraint', range, wanted: argument }
  },
  gjson(argument, find) {
    if (!isMap(argument) || Object.keys(argument).length === 0) {
      return addProblem(find, 'must be a map from paths (GJSON) to matchers')
    }
    const paths = Object.entries(argument).map(([path, written]) => ({
      path,
      matcher: parseMatcher(written, find.below(path)),
    }))
    return paths.every(isParsed) ? { kind: 'gjson', paths } : undefined
  },
}

const NEEDS_ONE = 'is empty and checks nothing: list at least one, or use {have-len: 0} to require an empty value'

function isEmptyList(argument: GossContent): boolean {
  return isList(argument) && argument.length === 0
}

function isParsed<Each extends { readonly matcher: Matcher | undefined }>(
  each: Each,
): each is Each & { readonly matcher: Matcher } {
  return each.matcher !== undefined
}

function comparison(comparator: Comparator): Parse {
  return (wanted, find) =>
    typeof wanted === 'number'
      ? { kind: 'number', comparator, wanted }
      : addProblem(find, 'must be a number, without quotes')
}

function textual(word: TextWord): Parse {
  return (wanted, find) => {
    if (typeof wanted !== 'string') return addProblem(find, 'must be text, quoted if YAML would read another type')
    const problem = word === 'match-regexp' ? regexProblem(wanted) : undefined
    return problem === undefined ? { kind: 'text', word, wanted } : addProblem(find, problem)
  }
}

function parseMatchers(kind: 'and' | 'or'): Parse {
  return (argument, find) => {
    const elements = parseList(argument, find)
    if (elements?.length === 0) return addProblem(find, 'needs at least one matcher')
    return elements && { kind, matchers: elements.map(({ matcher }) => matcher) }
  }
}

function parseList(argument: GossContent, find: Finder): readonly Desired[] | undefined {
  return isList(argument) ? parseAll(argument, find) : addProblem(find, 'must be a list of matchers')
}

function parseAll(list: readonly GossContent[], find: Finder): readonly Desired[] | undefined {
  const all = list.map((written, index) => ({ written, matcher: parseMatcher(written, find.below(index)) }))
  return all.every(isParsed) ? all : undefined
}

/** Parses a list of patterns. Undefined if invalid; reports problems to `find`. */
export function parsePatterns(argument: GossContent, find: Finder): readonly Pattern[] | undefined {
  if (!isList(argument)) return addProblem(find, 'must be a list of patterns')
  const patterns = argument.map((written, index) => {
    const parsed = typeof written === 'string' ? parsePattern(written) : 'must be text: quote it'
    return typeof parsed === 'string' ? addProblem(find.below(index), parsed) : parsed
  })
  return patterns.every((pattern) => pattern !== undefined) ? patterns : undefined
}

function addProblem(find: Finder, message: string): undefined {
  find.problem(message)
}

export function isList(content: unknown): content is readonly GossContent[] {
  return Array.isArray(content)
}

export function isMap(content: unknown): content is Readonly<Record<string, GossContent>> {
  return typeof content === 'object' && content !== null && !Array.isArray(content)
}
