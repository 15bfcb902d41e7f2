import { compareBigints, compareStrings } from '../../govalue/index.ts'
import { TemplateError } from '../../errors.ts'
import type { SemanticVersion } from './semver-value.ts'

const VERSION =
  /^v?([0-9]+)(\.[0-9]+)?(\.[0-9]+)?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/
const UINT64_MAX = 18446744073709551615n

function segment(digits: string): bigint {
  const text = digits.replace(/^\./, '')
  const value = text.length > 20 ? UINT64_MAX + 1n : BigInt(text)
  if (value > UINT64_MAX) {
    const reason = `strconv.ParseUint: parsing ${JSON.stringify(text)}: value out of range`
    throw new TemplateError(`Error parsing version segment: ${reason}`)
  }
  return value
}

/** Parses a version like Masterminds/semver: minor and patch are optional. Throws a `TemplateError`. */
export function parseVersion(text: string): SemanticVersion {
  const match = VERSION.exec(text)
  if (match === null) throw new TemplateError('Invalid Semantic Version')
  const [, major = '0', minor = '0', patch = '0', prerelease = '', metadata = ''] = match
  if (prerelease.split('.').some((part) => /^0[0-9]+$/.test(part))) {
    throw new TemplateError('Version segment starts with 0')
  }
  return { major: segment(major), minor: segment(minor), patch: segment(patch), prerelease, metadata, original: text }
}

/** The version in full, without a leading `v`. */
export function formatVersion({ major, minor, patch, prerelease, metadata }: SemanticVersion): string {
  const suffix = (prerelease === '' ? '' : `-${prerelease}`) + (metadata === '' ? '' : `+${metadata}`)
  return `${major}.${minor}.${patch}${suffix}`
}

function isNumeric(part: string): boolean {
  return /^[0-9]+$/.test(part) && (part.length < 20 || BigInt(part.slice(0, 40)) <= UINT64_MAX)
}

function comparePart(a: string, b: string): number {
  if (a === b) return 0
  if (a === '') return -1
  if (b === '') return 1
  if (isNumeric(a) && isNumeric(b)) return BigInt(a) > BigInt(b) ? 1 : -1
  if (isNumeric(b)) return 1
  if (isNumeric(a)) return -1
  return compareStrings(a, b) > 0 ? 1 : -1
}

/** Orders two pre-release texts part by part: -1, 0 or 1. */
export function comparePrerelease(a: string, b: string): number {
  const left = a.split('.')
  const right = b.split('.')
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const order = comparePart(left[index] ?? '', right[index] ?? '')
    if (order !== 0) return order
  }
  return 0
}

/** Orders two versions: -1, 0 or 1. A pre-release comes before its release; metadata is ignored. */
export function compareVersions(a: SemanticVersion, b: SemanticVersion): number {
  const order = compareBigints(a.major, b.major) || compareBigints(a.minor, b.minor) || compareBigints(a.patch, b.patch)
  if (order !== 0 || a.prerelease === b.prerelease) return order
  if (a.prerelease === '') return 1
  if (b.prerelease === '') return -1
  return comparePrerelease(a.prerelease, b.prerelease)
}
