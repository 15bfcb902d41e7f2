import { known, type Reading, unknown } from '../../model/observation.ts'
import type { Keyword } from './keywords.ts'
import { isInPatternList } from './match.ts'

/** Built-in properties of the installed server. */
export interface SshdBuild {
  /** Absent if unknown. */
  readonly version?: readonly [number, number]
  /** Default algorithms by keyword in lower case. */
  readonly algorithms: Readonly<Record<string, string>>
}

/** The canonical value of a keyword from the words of a line. */
export function valueOf(
  keyword: Keyword & { readonly key: string },
  words: readonly string[],
  { text, build }: { readonly text: string; readonly build: SshdBuild },
): Reading<string> {
  const [word = ''] = words
  const isEmpty = word === '' || (keyword.kind === 'words' && words.includes(''))
  if (isEmpty || keyword.form?.test(words.join(' ')) === false) return invalidValue(keyword, text)
  switch (keyword.kind) {
    case 'line':
      return known(text)
    case 'words':
      return known(words.join(' '))
    case 'algorithms':
      return words.length === 1 ? assemble(keyword, word, build) : invalidValue(keyword, text)
    default: {
      const value = words.length === 1 ? canonicalOf(keyword, word) : undefined
      return value === undefined ? invalidValue(keyword, text) : known(value)
    }
  }
}

/** The canonical spelling of a value, for comparison and reports; undefined if sshd rejects it. */
export function canonicalOf(
  { kind, isUpper, accepts = ['yes', 'no'], same }: Keyword,
  written: string,
): string | undefined {
  switch (kind) {
    case 'choice': {
      const value = isUpper === true ? written.toUpperCase() : written.toLowerCase()
      return accepts.includes(value) ? (same?.[value] ?? value) : undefined
    }
    case 'path':
      return /^none$/i.test(written) ? 'none' : written
    case 'integer':
      return /^\+?\d+$/.test(written) && Number(written) <= LARGEST_INTEGER ? String(Number(written)) : undefined
    case 'seconds':
      return secondsOf(written)
    case 'triple':
      return tripleOf(written)
    default:
      return same?.[written.toLowerCase()] ?? written
  }
}

const LARGEST_INTEGER = 2 ** 31 - 1

const SECONDS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

/** @see TIME FORMATS in sshd_config(5) */
function secondsOf(written: string): string | undefined {
  if (!/^\+?(?:\d+[smhdw])*(?:\d+[smhdw]?)$/i.test(written)) return undefined
  const parts = [...written.toLowerCase().matchAll(/(\d+)([smhdw]?)/g)]
  const total = parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (SECONDS[unit] ?? 0), 0)
  return total <= LARGEST_INTEGER ? String(total) : undefined
}

/** `10` alone sets both `start` and `full`. */
function tripleOf(written: string): string | undefined {
  const [, begin = '0', rate = '30', full = begin] = /^(\d+)(?::(\d+):(\d+))?$/.exec(written) ?? []
  const numbers = [begin, rate, full].map(Number)
  const [least = 0, percent = 0, most = 0] = numbers
  return least >= 1 && least <= most && most <= LARGEST_INTEGER && percent >= 1 && percent <= 100
    ? numbers.join(':')
    : undefined
}

/** A list of algorithms that begins with `+`, `-` or `^` modifies the built-in list. */
function assemble(
  { key, name }: { readonly key: string; readonly name: string },
  written: string,
  build: SshdBuild,
): Reading<string> {
  const sign = /^[+^-]/.exec(written)?.[0]
  const names = sign === undefined ? written : written.slice(1)
  if (sign !== '-' && /[*?!]/.test(names)) {
    return unknown('not-observable', `${name} ${written}: only sshd can tell which algorithms this pattern matches`)
  }
  if (sign === undefined) return known(unique(names.split(',')))
  const builtIn = build.algorithms[key]
  if (builtIn === undefined) {
    return unknown('not-observable', `${name} ${written}: the built-in algorithms of sshd are unknown`)
  }
  const before = builtIn.split(',')
  if (sign === '-') return known(before.filter((each) => !isInPatternList(each, names)).join(','))
  return known(unique(sign === '+' ? [...before, ...names.split(',')] : [...names.split(','), ...before]))
}

function unique(names: readonly string[]): string {
  return [...new Set(names)].join(',')
}

function invalidValue({ name }: Keyword, text: string): Reading<string> {
  return unknown('invalid', `${name} ${text} is not a valid value`)
}
