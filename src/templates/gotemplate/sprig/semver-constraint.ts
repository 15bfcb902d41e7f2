import { TemplateError } from '../../errors.ts'
import type { SemanticVersion } from './semver-value.ts'
import { comparePrerelease, compareVersions, parseVersion } from './semver-version.ts'

interface Constraint {
  readonly operator: string
  readonly version: SemanticVersion
  /** The first part left open by the constraint, such as the `x` of `1.x`. */
  readonly open: 'none' | 'major' | 'minor' | 'patch'
}

// Masterminds/semver's own expressions; the bar inside the brackets is theirs.
const VERSION_PATTERN = String.raw`v?([0-9|x|X|\*]+)(\.[0-9|x|X|\*]+)?(\.[0-9|x|X|\*]+)?(-([0-9A-Za-z\-]+(\.[0-9A-Za-z\-]+)*))?(\+([0-9A-Za-z\-]+(\.[0-9A-Za-z\-]+)*))?`
const OPERATORS = String.raw`=||!=|>|<|>=|=>|<=|=<|~|~>|\^`
const ONE = new RegExp(String.raw`^\s*(${OPERATORS})\s*(${VERSION_PATTERN})\s*$`)
const NEXT = new RegExp(String.raw`(?:!=|>=|=>|<=|=<|~>|=|>|<|~|\^|)\s*(?:${VERSION_PATTERN})`, 'y')
const RANGE = new RegExp(String.raw`\s*(${VERSION_PATTERN})\s+-\s+(${VERSION_PATTERN})\s*`, 'g')

// Limits the work of the expressions; no practical constraint is longer.
const MAX_LENGTH = 1000

function rewriteRanges(text: string): string {
  return text.replace(RANGE, (...match) => `>= ${String(match[1])}, <= ${String(match[11])} `)
}

/** Splits the text between `||` into single constraints; undefined if it has another form. */
function splitConstraints(text: string): string[] | undefined {
  const parts: string[] = []
  let position = text.length - text.trimStart().length
  while (position < text.length) {
    NEXT.lastIndex = position
    const match = NEXT.exec(text)
    if (match === null) return undefined
    parts.push(match[0])
    position += match[0].length
    const separator = /\s*,?\s*/y
    separator.lastIndex = position
    const between = separator.exec(text)?.[0] ?? ''
    position += between.length
    if (between === '' && position < text.length) return undefined
  }
  return parts.length === 0 || /,\s*$/.test(text) ? undefined : parts
}

function isOpen(part: string | undefined): boolean {
  return part === undefined || /^\.?[xX*]$/.test(part)
}

function parseConstraint(text: string): Constraint {
  const match = ONE.exec(text)
  if (match === null) throw new TemplateError(`improper constraint: ${text}`)
  const [, operator = '', whole = '', major = '', minor, patch, prerelease = ''] = match
  const make = (open: Constraint['open'], version: string): Constraint => {
    return { operator, open, version: versionOf(version) }
  }
  if (isOpen(major)) return make('major', `0.0.0${prerelease}`)
  if (isOpen(minor)) return make('minor', `${major}.0.0${prerelease}`)
  if (isOpen(patch)) return make('patch', `${major}${minor}.0${prerelease}`)
  return make('none', whole)
}

function versionOf(text: string): SemanticVersion {
  try {
    return parseVersion(text)
  } catch (error) {
    if (error instanceof TemplateError) throw new TemplateError('constraint Parser Error', undefined, { cause: error })
    throw error
  }
}

function parseAlternative(text: string): Constraint[] {
  const parts = splitConstraints(text)
  if (parts === undefined) throw new TemplateError(`improper constraint: ${text}`)
  return parts.map(parseConstraint)
}

/**
 * Whether a version meets a constraint in the language of Masterminds/semver (`>= 1.2, < 2 || ~3.1`). Throws a `TemplateError`
 * for an invalid constraint or version.
 */
export function meetsConstraint(constraint: string, versionText: string): boolean {
  if (constraint.length > MAX_LENGTH) throw new TemplateError('improper constraint: too long')
  const alternatives = rewriteRanges(constraint).split('||').map(parseAlternative)
  const version = parseVersion(versionText)
  return alternatives.some((constraints) => meetsAll(version, constraints))
}

/** A pre-release meets no constraint unless one of the combined constraints names a pre-release. */
function meetsAll(version: SemanticVersion, constraints: readonly Constraint[]): boolean {
  if (version.prerelease !== '' && constraints.every((one) => one.version.prerelease === '')) return false
  return constraints.every((one) => isSatisfied(version, one))
}

function isSatisfied(version: SemanticVersion, constraint: Constraint): boolean {
  const { operator, open, version: limit } = constraint
  if (operator === '!=') return isDifferent(version, constraint)
  const order = compareVersions(version, limit)
  switch (operator) {
    case '>':
      return isAbove(version, constraint, order)
    case '<':
      return order < 0
    case '>=':
    case '=>':
      return order >= 0
    case '<=':
    case '=<':
      return isAtMost(version, constraint, order)
    case '~':
    case '~>':
      return meetsTilde(version, constraint, order)
    case '^':
      return meetsCaret(version, constraint, order)
    default:
      return open === 'none' ? order === 0 : meetsTilde(version, constraint, order)
  }
}

// An open major part leaves the later parts open too, but Masterminds/semver records only the first.
function isDifferent(version: SemanticVersion, { open, version: limit }: Constraint): boolean {
  if (open === 'none') return compareVersions(version, limit) !== 0
  if (limit.major !== version.major) return true
  if (limit.minor !== version.minor && open !== 'minor') return true
  if (open === 'minor') return false
  if (limit.patch !== version.patch && open !== 'patch') return true
  if (open === 'patch') {
    return limit.prerelease !== '' && comparePrerelease(version.prerelease, limit.prerelease) !== 0
  }
  return compareVersions(version, limit) !== 0
}

function isAbove(version: SemanticVersion, { open, version: limit }: Constraint, order: number): boolean {
  if (open === 'none') return order > 0
  if (version.major !== limit.major) return version.major > limit.major
  if (open === 'minor') return false
  return open === 'patch' ? version.minor > limit.minor : order > 0
}

function isAtMost(version: SemanticVersion, { open, version: limit }: Constraint, order: number): boolean {
  if (open === 'none') return order <= 0
  if (version.major !== limit.major) return version.major < limit.major
  return version.minor <= limit.minor || open === 'minor'
}

function meetsTilde(version: SemanticVersion, { open, version: limit }: Constraint, order: number): boolean {
  if (order < 0) return false
  const isZero = limit.major === 0n && limit.minor === 0n && limit.patch === 0n
  if (isZero && open !== 'minor' && open !== 'patch') return true
  return version.major === limit.major && (version.minor === limit.minor || open === 'minor')
}

function meetsCaret(version: SemanticVersion, { open, version: limit }: Constraint, order: number): boolean {
  if (order < 0) return false
  if (limit.major > 0n || open === 'minor') return version.major === limit.major
  if (version.major > 0n) return false
  if (limit.minor > 0n || open === 'patch') return version.minor === limit.minor
  return version.minor === 0n && version.patch === limit.patch
}
