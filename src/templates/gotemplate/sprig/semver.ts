import { TemplateError } from '../../errors.ts'
import { goTypeName, type GoValue } from '../../govalue/index.ts'
import { fixed, type TemplateFunction } from '../functions.ts'
import { setOwnMethods } from '../methods.ts'
import { meetsConstraint } from './semver-constraint.ts'
import { registerSemver, semverOf, type SemanticVersion } from './semver-value.ts'
import { compareVersions, formatVersion, parseVersion } from './semver-version.ts'

const ORDERS: ReadonlyMap<string, (order: number) => GoValue> = new Map<string, (order: number) => GoValue>([
  ['Compare', (order) => BigInt(order)],
  ['Equal', (order) => order === 0],
  ['LessThan', (order) => order < 0],
  ['LessThanEqual', (order) => order <= 0],
  ['GreaterThan', (order) => order > 0],
  ['GreaterThanEqual', (order) => order >= 0],
])

function methodsOf(version: SemanticVersion): TemplateFunction[] {
  const fields: readonly [string, GoValue][] = [
    ['Major', version.major],
    ['Minor', version.minor],
    ['Patch', version.patch],
    ['Prerelease', version.prerelease],
    ['Metadata', version.metadata],
    ['Original', version.original],
    ['String', formatVersion(version)],
  ]
  return [
    ...fields.map(([name, value]) => fixed(name, [], () => value)),
    ...Array.from(ORDERS, ([name, order]) =>
      fixed(name, ['any'], ([other]) => order(compareVersions(version, versionOf(other)))),
    ),
    fixed('IncMajor', [], () => toValue(increased(version, 'major'))),
    fixed('IncMinor', [], () => toValue(increased(version, 'minor'))),
    fixed('IncPatch', [], () => toValue(increased(version, 'patch'))),
  ]
}

function versionOf(value: GoValue): SemanticVersion {
  const version = semverOf(value)
  if (version !== undefined) return version
  throw new TemplateError(`wrong type for value; expected *semver.Version; got ${goTypeName(value)}`)
}

function increased(version: SemanticVersion, part: 'major' | 'minor' | 'patch'): SemanticVersion {
  const { major, minor, patch, prerelease } = version
  const next = {
    major: part === 'major' ? major + 1n : major,
    minor: part === 'minor' ? minor + 1n : part === 'major' ? 0n : minor,
    // The release of a pre-release is its next patch version.
    patch: part !== 'patch' ? 0n : prerelease === '' ? patch + 1n : patch,
    prerelease: '',
    metadata: '',
    original: '',
  }
  return { ...next, original: (version.original.startsWith('v') ? 'v' : '') + formatVersion(next) }
}

/** Template value of a version: a dict with methods that prints as the version. */
function toValue(version: SemanticVersion): GoValue {
  const value = new Map<GoValue, GoValue>([['version', formatVersion(version)]])
  registerSemver(value, version, formatVersion(version))
  setOwnMethods(value, methodsOf(version))
  return value
}

export const SEMVER_FUNCTIONS: readonly TemplateFunction[] = [
  fixed('semver', ['string'], ([text]) => toValue(parseVersion(text))),
  fixed('semverCompare', ['string', 'string'], ([constraint, version]) => meetsConstraint(constraint, version)),
]
