import { assign } from './assign.ts'
import { byteLengthOf } from '../../../../host/byte-text.ts'
import { assertNever } from '../../../../model/assert-never.ts'
import { toSafeJson } from '../../../../model/safe-json.ts'
import { matchesPattern } from '../../../../templates/expr/regex.ts'
import { exists, getJson } from '../../../../templates/gjson/index.ts'
import { judgePatterns, type Pattern } from '../patterns.ts'
import type { GossContent } from '../resource.ts'
import { asList, asNumber, asText, elementsOf, isSame } from './convert.ts'
import type { Comparator, Judged, Matcher, TextWord, Desired } from './matcher.ts'
import { isMap } from './parse.ts'
import { isInRange, parseSemver, type SemverRange } from './semver.ts'

/** Judges a value by a matcher. Reader text is plain text here; its patterns are the matcher `have-patterns`. */
export function judge(matcher: Matcher, value: GossContent): Judged {
  switch (matcher.kind) {
    case 'equal':
      return judgeEqual(matcher, value)
    case 'number':
      return judgeNumber(matcher, value)
    case 'text':
      return passIf(
        TEXTS[matcher.word](asText(value), matcher.wanted),
        `${WORDS_OF_TEXT[matcher.word]} ${formatContent(matcher.wanted)}`,
      )
    case 'have-len':
      return judgeLength(matcher.wanted, value)
    case 'have-patterns':
      return judgeText(matcher.patterns, asText(value))
    case 'have-key':
      return isMap(value)
        ? passIf(
            Object.keys(value).some((key) => judge(matcher.key, key).kind === 'pass'),
            'has no such key',
          )
        : unfitResult('is not a map')
    case 'contain-element':
      return judgeElement(matcher.element, asList(value))
    case 'contain-elements':
      return judgeElements(matcher.elements, matcher.splits ? asList(value) : value, 'contain')
    case 'consist-of':
      return judgeElements(matcher.elements, value, 'consist')
    case 'and':
      return judgeAnd(matcher.matchers.map((each) => judge(each, value)))
    case 'or':
      return judgeOr(matcher.matchers.map((each) => judge(each, value)))
    case 'not':
      return invert(judge(matcher.matcher, value))
    case 'semver-constraint':
      return judgeSemver(matcher.range, value)
    case 'gjson':
      return judgeAnd(matcher.paths.map((each) => judgeGjson(each, value)))
    default:
      return assertNever(matcher)
  }
}

export function judgeText(patterns: readonly Pattern[], text: string): Judged {
  const judged = judgePatterns(patterns, text)
  if (judged.kind === 'unknown') return judged
  return passIf(judged.unmet.length === 0, `does not meet the ${formatList('pattern', judged.unmet)}`)
}

const PASS: Judged = { kind: 'pass' }

function fail(why: string): Judged {
  return { kind: 'fail', why }
}

/** The result for a value of a type that the matcher cannot judge. */
export function unfitResult(why: string): Judged {
  return { kind: 'fail', why, unfit: true }
}

function passIf(isTrue: boolean, why: string): Judged {
  return isTrue ? PASS : fail(why)
}

function judgeEqual({ wanted, asText: isText }: Extract<Matcher, { kind: 'equal' }>, value: GossContent): Judged {
  return passIf(isText ? asText(value) === wanted : isSame(value, wanted), `is not equal to ${formatContent(wanted)}`)
}

const COMPARISONS: Readonly<Record<Comparator, (left: number, right: number) => boolean>> = {
  eq: (left, right) => left === right,
  gt: (left, right) => left > right,
  ge: (left, right) => left >= right,
  lt: (left, right) => left < right,
  le: (left, right) => left <= right,
}

const COMPARATOR_WORDS: Readonly<Record<Comparator, string>> = {
  eq: 'equal to',
  gt: 'greater than',
  ge: 'at least',
  lt: 'less than',
  le: 'at most',
}

function judgeNumber({ comparator, wanted }: Extract<Matcher, { kind: 'number' }>, value: GossContent): Judged {
  const number = asNumber(value)
  if (number === undefined) return unfitResult('is not a number')
  return passIf(COMPARISONS[comparator](number, wanted), `is not ${COMPARATOR_WORDS[comparator]} ${wanted}`)
}

const TEXTS: Readonly<Record<TextWord, (text: string, wanted: string) => boolean>> = {
  'have-prefix': (text, wanted) => text.startsWith(wanted),
  'have-suffix': (text, wanted) => text.endsWith(wanted),
  'contain-substring': (text, wanted) => text.includes(wanted),
  'match-regexp': (text, wanted) => matchesPattern(wanted, text),
}

const WORDS_OF_TEXT: Readonly<Record<TextWord, string>> = {
  'have-prefix': 'does not have the prefix',
  'have-suffix': 'does not have the suffix',
  'contain-substring': 'does not contain',
  'match-regexp': 'does not match',
}

function judgeLength(wanted: number, value: GossContent): Judged {
  const length = typeof value === 'string' ? byteLengthOf(value) : elementsOf(value)?.length
  return length === undefined
    ? unfitResult('has no length')
    : passIf(length === wanted, `has length ${length}, not ${wanted}`)
}

function judgeElement(element: Matcher, value: GossContent): Judged {
  const elements = elementsOf(value)
  if (elements === undefined) return unfitResult('is neither a list nor a map nor text')
  const judged = elements.map((each) => judge(element, each))
  if (judged.some(({ kind }) => kind === 'pass')) return PASS
  const open = judged.find(({ kind }) => kind === 'unknown')
  if (open !== undefined) return open
  const other = judged.find((each) => each.kind === 'fail' && each.unfit === true)
  if (other?.kind === 'fail') return unfitResult(`has no such element, and one that ${other.why}`)
  return fail('has no such element')
}

function judgeElements(wanted: readonly Desired[], value: GossContent, how: 'contain' | 'consist'): Judged {
  const elements = elementsOf(value)
  if (elements === undefined) {
    const hint =
      typeof value === 'string' ? ': it is text: check its lines with "contain-elements" or "have-patterns"' : ''
    return unfitResult(`is not a list${hint}`)
  }
  const fits = (want: number, at: number): boolean => {
    const { matcher } = wanted[want] ?? {}
    const element = elements[at]
    return matcher !== undefined && element !== undefined && judge(matcher, element).kind === 'pass'
  }
  const left = assign(wanted.length, elements.length, fits)
  const missing = left.wanted.map((index) => wanted[index]?.written ?? null)
  const extra = how === 'consist' ? left.values.map((index) => elements[index] ?? null) : []
  if (missing.length === 0 && extra.length === 0) return PASS
  return fail([...formatElements('missing', missing), ...formatElements('extra', extra)].join(', '))
}

function formatElements(word: string, elements: readonly GossContent[]): readonly string[] {
  return elements.length === 0 ? [] : [`${word} ${elements.map(formatContent).join(', ')}`]
}

/** A proven failure decides, even if other results are unknown. */
function judgeAnd(judged: readonly Judged[]): Judged {
  const failed = judged.filter((each) => each.kind === 'fail')
  return (
    failed.find(({ unfit: isUnfit }) => isUnfit !== true) ??
    judged.find(({ kind }) => kind === 'unknown') ??
    failed[0] ??
    PASS
  )
}

function judgeOr(judged: readonly Judged[]): Judged {
  if (judged.some(({ kind }) => kind === 'pass')) return PASS
  const open = judged.find(({ kind }) => kind === 'unknown')
  if (open !== undefined) return open
  const failed = judged.filter((each) => each.kind === 'fail')
  const why = [...new Set(failed.map((each) => each.why))].join(', and ')
  return failed.some(({ unfit: isUnfit }) => isUnfit === true) ? unfitResult(why) : fail(why)
}

/** The inverse of an unknown or unfit result is unknown. */
function invert(judged: Judged): Judged {
  if (judged.kind === 'unknown') return judged
  if (judged.kind === 'pass') return fail('matches the negated matcher')
  return judged.unfit === true ? { kind: 'unknown', why: `cannot be evaluated below "not": it ${judged.why}` } : PASS
}

function judgeSemver(range: SemverRange, value: GossContent): Judged {
  const versions = typeof value === 'string' ? [value] : (elementsOf(value) ?? [])
  if (versions.length === 0) return unfitResult('is not a semantic version')
  const outside: string[] = []
  for (const text of versions) {
    const version = typeof text === 'string' ? parseSemver(text) : undefined
    if (version === undefined) return unfitResult(`${formatContent(text)} is not a semantic version`)
    if (!isInRange(range, version)) outside.push(formatContent(text))
  }
  return passIf(outside.length === 0, `${outside.join(', ')} is outside the range`)
}

/** The maximum length of a quoted value, in characters. */
const LONGEST_SHOWN = 200

export function formatContent(value: GossContent): string {
  const json = toSafeJson(value)
  return json.length > LONGEST_SHOWN ? `${json.slice(0, LONGEST_SHOWN)}…` : json
}

function formatList(noun: string, items: readonly string[]): string {
  return `${noun}${items.length === 1 ? '' : 's'} ${items.map(formatContent).join(', ')}`
}

/** Judges the value that a GJSON path selects in a JSON text. */
function judgeGjson(
  { path, matcher }: { readonly path: string; readonly matcher: Matcher },
  value: GossContent,
): Judged {
  const unfit = (why: string): Judged => ({ kind: 'fail', why, unfit: true })
  if (typeof value !== 'string') return unfit('is not text')
  if (parseJson(value) === undefined) return unfit('is not JSON')
  const found = getJson(value, path)
  if (found.exhausted === true) return { kind: 'unknown', why: `the path ${path} is too expensive to evaluate` }
  const selected = exists(found) ? parseJson(found.raw) : undefined
  if (selected === undefined) return unfit(`has no value at ${path}`)
  const judged = judge(matcher, selected)
  return judged.kind === 'pass' ? judged : { ...judged, why: `the value at ${path} ${judged.why}` }
}

function parseJson(text: string): GossContent | undefined {
  try {
    const value: GossContent = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}
