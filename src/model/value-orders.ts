import type { Condition, ValueOrder } from './acceptance.ts'
import { keepLineForm, splitMark } from './line-form.ts'
import { compareDebianVersions } from './versions/debian.ts'
import { compareToWantedRpmVersion } from './versions/rpm.ts'

const EQUALITY = ['is', 'not', 'one_of', 'none_of'] as const
const BOUNDS = ['at_least', 'at_most'] as const
const PATTERNS = ['matches', 'not_matches'] as const
const MEMBERS = ['includes', 'excludes'] as const

/**
 * The orders that the values of a property can have, each with the conditions that mean something in it. A property says
 * which one it has under `accepts`; everything about its acceptances follows from that.
 */
export const ORDER_CONDITIONS = {
  /** Any text. */
  text: [...EQUALITY, ...PATTERNS],
  /** Names or ids of users or groups, which are the same where their ids are. */
  account: EQUALITY,
  /** Texts of fields, as parameters of the kernel are, with whole numbers by their size. */
  fields: [...EQUALITY, ...BOUNDS, ...PATTERNS],
  /** What a program makes of a text in its configuration: a number, a span of time, a size, bits, a word or a list of them. */
  setting: [...EQUALITY, ...BOUNDS, ...PATTERNS, ...MEMBERS],
  /** Contents of files: texts made of lines, of which some have to be in it. */
  lines: [...PATTERNS, ...MEMBERS],
  number: [...EQUALITY, ...BOUNDS],
  /** Numbers of bytes, with a unit or without. */
  size: [...EQUALITY, ...BOUNDS],
  duration: [...EQUALITY, ...BOUNDS],
  /** Versions, in the order of the versioned thing. */
  version: [...EQUALITY, ...BOUNDS, ...PATTERNS],
  /** Permission bits, in octal: at most is no other bit, at least is all of these. */
  mode: [...EQUALITY, ...BOUNDS],
  /** Lists whose items have an order. */
  list: [...EQUALITY, ...MEMBERS],
  /** Lists whose items have no order: at most is no other item, at least is all of these. */
  set: [...EQUALITY, ...BOUNDS, ...MEMBERS],
} as const satisfies Readonly<Record<string, readonly Condition[]>>

/** How the values of a property compare. */
export type OrderName = keyof typeof ORDER_CONDITIONS

/** What an item of a list can be whose values are compared. */
export type ListItem = string | number | boolean

/** Values that differ or are the same, and nothing else. */
export const EQUAL_OR_NOT = { equals: Object.is } as const satisfies ValueOrder<unknown>

/** Numbers by their value, sizes in bytes and durations in milliseconds among them. */
export const NUMBERS: ValueOrder<number> = { equals: same, raise: Math.max, lower: Math.min }

/** Modes by the rights they give: at most is no bit more than the bound has, at least is all of its bits. */
export const MODES: ValueOrder<number> = {
  equals: same,
  raise: (bits, bound) => bits | bound,
  lower: (bits, bound) => bits & bound,
}

/** Versions of Debian packages, as dpkg(1) compares them. */
export const DEBIAN_VERSIONS: ValueOrder<string> = versionsBy(compareDebianVersions)

/** Versions of rpm packages, as rpm compares them: what a bound leaves out, epoch or release, matches anything. */
export const RPM_VERSIONS: ValueOrder<string> = versionsBy(compareToWantedRpmVersion)

/** Lists by their items in turn. What a fix adds comes last. */
export const LISTS: ValueOrder<readonly ListItem[], ListItem> = {
  equals: (left, right) => left.length === right.length && left.every((item, index) => item === right[index]),
  include,
  exclude,
}

/** Lists by what is in them, in any order and however often. */
export const SETS: ValueOrder<readonly ListItem[], ListItem> = {
  equals: (left, right) => hasAll(left, right) && hasAll(right, left),
  raise: (items, bound) => include(items, bound),
  lower: (items, bound) => items.filter((item) => bound.includes(item)),
  include,
  exclude,
}

/** Texts made of lines. What a fix adds comes last; line ends, byte order mark and a last line without an end stay as they are. */
export const LINES: ValueOrder<string> = {
  equals: Object.is,
  include(text, lines) {
    const [, unmarked] = splitMark(text)
    const seen = new Set(linesOf(unmarked).map(bare))
    const missing = [...new Set(lines.map(bare))].filter((line) => !seen.has(line))
    if (missing.length === 0) return text
    const start = unmarked === '' || text.endsWith('\n') ? text : `${text}\n`
    return keepLineForm(text, `${start}${missing.join('\n')}\n`)
  },
  exclude(text, lines) {
    const [mark, unmarked] = splitMark(text)
    const unwanted = new Set(lines.map(bare))
    const kept = linesOf(unmarked).filter((line) => !unwanted.has(bare(line)))
    return keepLineForm(text, mark + kept.join(''))
  },
}

/** Each with what ends it, so that together they are the text. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

function bare(line: string): string {
  return line.replace(/\r?\n?$/, '')
}

function same(left: number, right: number): boolean {
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
