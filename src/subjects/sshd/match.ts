import { isAddressList, isInAddressList } from './address.ts'
import { PORT } from './forms.ts'
import { cutWord } from './line.ts'

/** A condition of a Match line, its name in lower case. `all` and `invalid-user` have no pattern. */
export interface Criterion {
  readonly name: string
  readonly pattern: string
}

/** A connection as a policy names it; omitted properties may have any value. */
export interface Connection {
  readonly user?: string
  readonly groups?: readonly string[]
  readonly host?: string
  readonly address?: string
  readonly localaddress?: string
  readonly localport?: number
  readonly rdomain?: string
}

/** Whether a condition holds for a connection: `maybe` if that depends on an omitted property. */
export type Holds = 'yes' | 'no' | 'maybe'

const WITHOUT_PATTERN = new Set(['all', 'invalid-user'])

const KNOWN = new Set([
  'all',
  'invalid-user',
  'user',
  'group',
  'host',
  'address',
  'localaddress',
  'localport',
  'rdomain',
  'version',
  'sessiontype',
  'command',
])

/** The conditions of a Match line; undefined if invalid. */
export function parseCriteria(text: string): readonly Criterion[] | undefined {
  const criteria = readCriteria(text, (name) => (KNOWN.has(name) ? !WITHOUT_PATTERN.has(name) : undefined))
  if (criteria === undefined || criteria.length === 0 || !criteria.every(isValid)) return undefined
  return criteria.length > 1 && criteria.some(({ name }) => name === 'all') ? undefined : criteria
}

const LOCAL_PORT = new RegExp(`^${PORT}$`)

function isValid({ name, pattern }: Criterion): boolean {
  if (name.endsWith('address')) return isAddressList(pattern)
  return name !== 'localport' || LOCAL_PORT.test(pattern)
}

/** Conditions up to a comment; undefined if a pattern is missing or `hasPattern` does not know a name. */
export function readCriteria(
  text: string,
  hasPattern: (name: string) => boolean | undefined,
): readonly Criterion[] | undefined {
  const criteria: Criterion[] = []
  let rest = text
  while (rest !== '') {
    const cut = cutWord(rest)
    if (cut === undefined) return undefined
    if (cut.word.startsWith('#')) break
    const name = cut.word.toLowerCase()
    const isFollowed = hasPattern(name)
    const value = isFollowed === true ? cutWord(cut.rest) : { word: '', rest: cut.rest }
    if (isFollowed === undefined || value === undefined || (isFollowed && /^(#|$)/.test(value.word))) return undefined
    criteria.push({ name, pattern: value.word })
    rest = value.rest
  }
  return criteria
}

/** Whether all conditions hold for a connection. */
export function holdsFor(connection: Connection, criteria: readonly Criterion[]): Holds {
  return holdsAll(criteria.map((criterion) => evaluateCriterion(connection, criterion)))
}

export function holdsAll(each: readonly Holds[]): Holds {
  if (each.includes('no')) return 'no'
  return each.includes('maybe') ? 'maybe' : 'yes'
}

function evaluateCriterion(connection: Connection, { name, pattern }: Criterion): Holds {
  const { user, groups, host, address, localaddress, localport, rdomain } = connection
  switch (name) {
    case 'all':
      return 'yes'
    case 'user':
      return testValue(user, (value) => isInPatternList(value, pattern))
    case 'group':
      return testValue(groups, (value) => isOneInPatternList(value, pattern))
    case 'host':
      return testValue(host, (value) => isInPatternList(value.toLowerCase(), pattern.toLowerCase()))
    case 'address':
      return testValue(address, (value) => isInAddressList(value, pattern, matchesPattern))
    case 'localaddress':
      return testValue(localaddress, (value) => isInAddressList(value, pattern, matchesPattern))
    case 'localport':
      return testValue(localport, (value) => value === Number(pattern))
    case 'rdomain':
      return testValue(rdomain, (value) => isInPatternList(value, pattern))
    default:
      return 'maybe'
  }
}

function testValue<Value>(value: Value | undefined, test: (value: Value) => boolean): Holds {
  if (value === undefined) return 'maybe'
  return test(value) ? 'yes' : 'no'
}

/** Whether a text matches a list of patterns: at least one, and no negated one (`!`). */
export function isInPatternList(text: string, list: string): boolean {
  return isOneInPatternList([text], list)
}

function isOneInPatternList(texts: readonly string[], list: string): boolean {
  const patterns = list.split(',')
  const isMatched = (pattern: string): boolean => texts.some((text) => matchesPattern(text, pattern))
  if (patterns.some((pattern) => pattern.startsWith('!') && isMatched(pattern.slice(1)))) return false
  return patterns.some((pattern) => !pattern.startsWith('!') && isMatched(pattern))
}

/** Whether a pattern of `*` and `?` matches a whole text. @see PATTERNS in ssh_config(5) */
export function matchesPattern(text: string, pattern: string): boolean {
  const source = pattern.replace(/[\\^$.*+?()[\]{}|/]/g, (character) => {
    if (character === '*') return '.*'
    return character === '?' ? '.' : `\\${character}`
  })
  return new RegExp(`^${source}$`, 's').test(text)
}
