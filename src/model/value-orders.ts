import type { Condition, ValueOrder } from './acceptance.ts'
import { keepLineForm, splitMark } from './line-form.ts'
import { compareDebianVersions } from './versions/debian.ts'
import { compareToWantedRpmVersion } from './versions/rpm.ts'

const EQUALITY = ['is', 'not', 'one_of', 'none_of'] as const
const BOUNDS = ['at_least', 'at_most'] as const
const PATTERNS = ['matches', 'not_matches'] as const
const MEMBERS = ['includes', 'excludes'] as const

/**
 * The orders of property values, each with its conditions. A property declares its order under `accepts`, which
 * determines all acceptances it supports.
 */
export const ORDER_CONDITIONS = {
  /** Any text. */
  text: [...EQUALITY, ...PATTERNS],
  /** Names or ids of users or groups; equal if their ids are. */
  account: EQUALITY,
  /** Texts of fields, such as kernel parameters; integers compare by size. */
  fields: [...EQUALITY, ...BOUNDS, ...PATTERNS],
  /** Configuration values as the program interprets them: a number, a duration, a size, bits, a word or a list. */
  setting: [...EQUALITY, ...BOUNDS, ...PATTERNS, ...MEMBERS],
  /** File contents as lines, some of which must be present. */
  lines: [...PATTERNS, ...MEMBERS],
  number: [...EQUALITY, ...BOUNDS],
  /** Numbers of bytes, with or without a unit. */
  size: [...EQUALITY, ...BOUNDS],
  duration: [...EQUALITY, ...BOUNDS],
  /** Versions, compared as the package manager or program does. */
  version: [...EQUALITY, ...BOUNDS, ...PATTERNS],
  /** Permission bits in octal: `at_most` allows no other bits, `at_least` requires all of these. */
  mode: [...EQUALITY, ...BOUNDS],
  /** Ordered lists. */
  list: [...EQUALITY, ...MEMBERS],
  /** Unordered lists: `at_most` allows no other items, `at_least` requires all of these. */
  set: [...EQUALITY, ...BOUNDS, ...MEMBERS],
} as const satisfies Readonly<Record<string, readonly Condition[]>>

/** The name of an order. */
export type OrderName = keyof typeof ORDER_CONDITIONS

/** An item of a list property with acceptances. */
export type ListItem = string | number | boolean

/** Values that are compared for equality only. */
export const EQUAL_OR_NOT = { equals: Object.is } as const satisfies ValueOrder<unknown>

/** Numbers by value, including sizes in bytes and durations in milliseconds. */
export const NUMBERS: ValueOrder<number> = { equals: isEqual, raise: Math.max, lower: Math.min }

/** Modes by permission bits: at most means no bit beyond the bound, at least means all bits of the bound. */
export const MODES: ValueOrder<number> = {
  equals: isEqual,
  raise: (bits, bound) => bits | bound,
  lower: (bits, bound) => bits & bound,
}

/** Versions of Debian packages, as dpkg(1) compares them. */
export const DEBIAN_VERSIONS: ValueOrder<string> = versionsBy(compareDebianVersions)

/** Versions of rpm packages, as rpm compares them: if the bound has no epoch or release, any matches. */
export const RPM_VERSIONS: ValueOrder<string> = versionsBy(compareToWantedRpmVersion)

/** Ordered lists. A fix appends items. */
export const LISTS: ValueOrder<readonly ListItem[], ListItem> = {
  equals: (left, right) => left.length === right.length && left.every((item, index) => item === right[index]),
  include,
  exclude,
}

/** Unordered lists; duplicates are ignored. */
export const SETS: ValueOrder<readonly ListItem[], ListItem> = {
  equals: (left, right) => hasAll(left, right) && hasAll(right, left),
  raise: (items, bound) => include(items, bound),
  lower: (items, bound) => items.filter((item) => bound.includes(item)),
  include,
  exclude,
}

/** Texts as lines. A fix appends lines; line ends, byte order mark and a missing final line end are kept. */
export const LINES: ValueOrder<string> = {
  equals: Object.is,
  include(text, lines) {
    const [, unmarked] = splitMark(text)
    const seen = new Set(linesOf(unmarked).map(stripLineEnd))
    const missing = [...new Set(lines.map(stripLineEnd))].filter((line) => !seen.has(line))
    if (missing.length === 0) return text
    const start = unmarked === '' || text.endsWith('\n') ? text : `${text}\n`
    return keepLineForm(text, `${start}${missing.join('\n')}\n`)
  },
  exclude(text, lines) {
    const [mark, unmarked] = splitMark(text)
    const unwanted = new Set(lines.map(stripLineEnd))
    const kept = linesOf(unmarked).filter((line) => !unwanted.has(stripLineEnd(line)))
    return keepLineForm(text, mark + kept.join(''))
  },
}

/** Lines with their line ends; joined, they are the text. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

function stripLineEnd(line: string): string {
  return line.replace(/\r?\n?$/, '')
}

function isEqual(left: number, right: number): boolean {
  return left === right
}

function versionsBy(compare: (value: string, bound: string) => number): ValueOrder<string> {
  return {
    equals: (value, other) => compare(value, other) === 0,
    raise: (value, bound) => (compare(value, bound) < 0 ? bound : value),
    lower: (value, bound) => (compare(value, bound) > 0 ? bound : value),
  }
}

function include(list: readonly ListItem[], items: readonly ListItem[]): readonly ListItem[] {
  return [...list, ...new Set(items.filter((item) => !list.includes(item)))]
}

function exclude(list: readonly ListItem[], items: readonly ListItem[]): readonly ListItem[] {
  return list.filter((item) => !items.includes(item))
}

function hasAll(list: readonly ListItem[], items: readonly ListItem[]): boolean {
  return items.every((item) => list.includes(item))
}
