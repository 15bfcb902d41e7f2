import { withBlanksOfC } from './blanks.ts'
import { defined } from '../model/defined.ts'
import { byNumber, decimalOf, listsOf, NUMBERS, synonyms, VALUES } from './values.ts'
import type { KeyRules } from './surface.ts'

const TRUE = ['yes', 'true', '1', 'on', 'y', 't']
const FALSE = ['no', 'false', '0', 'off', 'n', 'f']

/** A boolean, as in systemd's parse_boolean. */
export function yesOrNo(preset?: 'yes' | 'no'): KeyRules {
  const isBoolean = (value: string): boolean => [...TRUE, ...FALSE].includes(value.toLowerCase())
  return { order: synonyms(TRUE, FALSE), wins: 'last', takes: isBoolean, ...defined({ default: preset }) }
}

/** One of these words, case-sensitive. */
export function wordRules(words: readonly string[], preset?: string): KeyRules {
  return { order: synonyms(), wins: 'last', takes: (value) => words.includes(value), ...defined({ default: preset }) }
}

/** Any text. */
export function text(preset?: string): KeyRules {
  return { order: VALUES, wins: 'last', ...defined({ default: preset }) }
}

/** Words that accumulate over all lines; an empty line resets them. */
export function words(preset?: string): KeyRules {
  return { order: listsOf(/\s+/, ' '), wins: 'all', emptyResets: true, ...defined({ default: preset }) }
}

export function number(preset?: string): KeyRules {
  const takes = (value: string): boolean => decimalOf(value) !== undefined
  return { order: NUMBERS, wins: 'last', takes, ...defined({ default: preset }) }
}

/** A duration; the default unit is seconds. */
export function seconds(preset?: string): KeyRules {
  const takes = (value: string): boolean => secondsOf(value) !== undefined
  return { order: byNumber(secondsOf), wins: 'last', takes, ...defined({ default: preset }) }
}

/** A size in bytes; units are powers of 1024. */
export function bytes(preset?: string): KeyRules {
  const takes = (value: string): boolean => bytesOf(value) !== undefined
  return { order: byNumber(bytesOf), wins: 'last', takes, ...defined({ default: preset }) }
}

const SECONDS: Readonly<Record<string, number>> = unitsOf([
  [1e-6, 'us usec µs μs'],
  [1e-3, 'ms msec'],
  [1, 's sec second seconds'],
  [60, 'm min minute minutes'],
  [3600, 'h hr hour hours'],
  [86_400, 'd day days'],
  [604_800, 'w week weeks'],
  [2_629_800, 'M month months'],
  [31_557_600, 'y year years'],
])

function unitsOf(groups: readonly (readonly [number, string])[]): Record<string, number> {
  return Object.fromEntries(groups.flatMap(([factor, names]) => names.split(' ').map((name) => [name, factor])))
}

/** @see systemd.time(7) */
export function secondsOf(value: string): number | undefined {
  if (value === 'infinity') return Number.POSITIVE_INFINITY
  return sumOf(value, (unit) => (unit === '' ? 1 : SECONDS[unit]))
}

const BYTES: Readonly<Record<string, number>> = {
  '': 1,
  B: 1,
  K: 2 ** 10,
  M: 2 ** 20,
  G: 2 ** 30,
  T: 2 ** 40,
  P: 2 ** 50,
  E: 2 ** 60,
}

function bytesOf(value: string): number | undefined {
  if (value === 'infinity') return Number.POSITIVE_INFINITY
  return sumOf(value, (unit) => BYTES[unit])
}

function sumOf(value: string, factorOf: (unit: string) => number | undefined): number | undefined {
  const parts = [...value.matchAll(withBlanksOfC(/\s*(\d+(?:\.\d*)?)\s*([A-Za-z\u00b5\u03bc]*)/gy))]
  if (parts.map(([part]) => part).join('') !== value || value === '') return undefined
  return parts.reduce<number | undefined>((sum, [, digits, unit = '']) => {
    const factor = factorOf(unit)
    return sum === undefined || factor === undefined ? undefined : sum + Number(digits) * factor
  }, 0)
}
