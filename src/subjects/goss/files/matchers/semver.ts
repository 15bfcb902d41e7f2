/** A version with an optional pre-release; build metadata (`+...`) is ignored. */
interface Version {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint]
  readonly before: readonly string[]
}

/** A range of versions: a disjunction of conjunctions of comparisons. */
export type SemverRange = readonly (readonly Comparison[])[]

interface Comparison {
  readonly operator: Operator
  readonly version: Version
}

type Operator = '=' | '!=' | '>' | '>=' | '<' | '<='

const NUMBER = '(?:0|[1-9][0-9]*)'
const PRE = '(?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)'
const VERSION = new RegExp(
  `^(${NUMBER})\\.(${NUMBER})\\.(${NUMBER})(?:-(${PRE}(?:\\.${PRE})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
)

/** Parses a strict version: three numbers without leading zeros. @see https://semver.org, 2.0.0 */
export function parseSemver(text: string): Version | undefined {
  const [, major, minor, patch, before = ''] = VERSION.exec(text) ?? []
  if (major === undefined || minor === undefined || patch === undefined) return undefined
  return {
    numbers: [BigInt(major), BigInt(minor), BigInt(patch)],
    before: before === '' ? [] : before.split('.'),
  }
}

const OPERATORS: Readonly<Record<string, Operator>> = {
  '': '=',
  '=': '=',
  '==': '=',
  '!': '!=',
  '!=': '!=',
  '>': '>',
  '>=': '>=',
  '<': '<',
  '<=': '<=',
}

/**
 * Parses a range: `>=1.2.0 <2.0.0 || 3.x`. A space means "and", `||` means "or". Undefined if invalid. @see
 * https://github.com/blang/semver, range.go
 */
export function parseSemverRange(text: string): SemverRange | undefined {
  const range: (readonly Comparison[])[] = []
  for (const part of text.split('||')) {
    const comparisons = part
      .replaceAll(/([<>=!])\s+/g, '$1')
      .trim()
      .split(/\s+/)
      .map(parseComparisons)
    if (comparisons.some((each) => each === undefined)) return undefined
    // A version that does not match a wildcard is below or above it.
    range.push(...productOf(comparisons.flatMap((each) => (each === undefined ? [] : [each]))))
  }
  return range
}

/** Distributes "and" over "or". */
function productOf(all: readonly SemverRange[]): SemverRange {
  return all.reduce<SemverRange>(
    (combined, choices) => combined.flatMap((left) => choices.map((right) => [...left, ...right])),
    [[]],
  )
}

function parseComparisons(text: string): SemverRange | undefined {
  const [, sign = '', rest = ''] = /^([^0-9]*)(.*)$/.exec(text) ?? []
  const operator = OPERATORS[sign]
  if (operator === undefined) return undefined
  const [, major, minor] = /^([0-9]+)(?:\.([0-9]+))?\.x(?:\.x)?$/.exec(rest) ?? []
  if (major !== undefined) return wildcard(operator, BigInt(major), minor)
  const version = parseSemver(rest)
  return version === undefined ? undefined : [[{ operator, version }]]
}

/** `1.x` means at least 1.0.0 and below 2.0.0. */
function wildcard(operator: Operator, major: bigint, minor: string | undefined): SemverRange {
  const isMinor = minor === undefined
  const from = { numbers: [major, BigInt(minor ?? 0), 0n], before: [] } satisfies Version
  const to = { numbers: isMinor ? [major + 1n, 0n, 0n] : [major, BigInt(minor) + 1n, 0n], before: [] } satisfies Version
  const below = { operator: '<', version: from } as const
  const above = { operator: '>=', version: to } as const
  switch (operator) {
    case '=':
      return [
        [
          { operator: '>=', version: from },
          { operator: '<', version: to },
        ],
      ]
    case '!=':
      return [[below], [above]]
    case '>':
      return [[above]]
    case '>=':
      return [[{ operator: '>=', version: from }]]
    case '<':
      return [[below]]
    case '<=':
      return [[{ operator: '<', version: to }]]
  }
}

export function isInRange(range: SemverRange, version: Version): boolean {
  return range.some((all) => all.every((comparison) => isSatisfied(comparison, version)))
}

function isSatisfied({ operator, version: bound }: Comparison, version: Version): boolean {
  const order = compareVersions(version, bound)
  switch (operator) {
    case '=':
      return order === 0
    case '!=':
      return order !== 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
    case '<':
      return order < 0
    case '<=':
      return order <= 0
  }
}

function compareVersions(left: Version, right: Version): number {
  for (const [index, number] of left.numbers.entries()) {
    const other = right.numbers[index] ?? 0n
    if (number !== other) return number < other ? -1 : 1
  }
  // A release is later than its pre-releases.
  if (left.before.length === 0 || right.before.length === 0) return right.before.length - left.before.length
  for (const [index, part] of left.before.entries()) {
    const order = comparePre(part, right.before[index])
    if (order !== 0) return order
  }
  return left.before.length - right.before.length
}

function comparePre(left: string, right: string | undefined): number {
  if (right === undefined) return 1
  const [isLeft, isRight] = [/^[0-9]+$/.test(left), /^[0-9]+$/.test(right)]
  if (isLeft && isRight) return BigInt(left) === BigInt(right) ? 0 : BigInt(left) < BigInt(right) ? -1 : 1
  if (isLeft !== isRight) return isLeft ? -1 : 1
  return left === right ? 0 : left < right ? -1 : 1
}
