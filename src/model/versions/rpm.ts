/** The parts of an rpm version, `[epoch:]version[-release]`; undefined if missing. */
export interface RpmVersion {
  readonly epoch: string | undefined
  readonly version: string
  readonly release: string | undefined
}

/** Parses an rpm version as rpm does: the epoch consists of digits, the release follows the last hyphen. */
export function parseRpmVersion(text: string): RpmVersion {
  const epoch = /^[0-9]*(?=:)/.exec(text)?.[0]
  const rest = epoch === undefined ? text : text.slice(epoch.length + 1)
  const hyphen = rest.lastIndexOf('-')
  return {
    epoch: epoch === '' ? '0' : epoch,
    version: hyphen < 0 ? rest : rest.slice(0, hyphen),
    release: hyphen < 0 ? undefined : rest.slice(hyphen + 1),
  }
}

/**
 * Compares two rpm versions as rpm does: negative, 0 or positive. A missing epoch equals `0`, and a missing release
 * sorts before every release. `~` sorts before the end, `^` right after it.
 *
 * @see rpm-version(7)
 */
export function compareRpmVersions(left: string, right: string): number {
  const a = parseRpmVersion(left)
  const b = parseRpmVersion(right)
  return (
    compareSegments(a.epoch ?? '0', b.epoch ?? '0') ||
    compareSegments(a.version, b.version) ||
    compareReleases(a.release, b.release)
  )
}

function compareReleases(left: string | undefined, right: string | undefined): number {
  if (left === undefined || right === undefined) return Number(left !== undefined) - Number(right !== undefined)
  return compareSegments(left, right)
}

/** Compares an installed version with a desired one; if the desired one has no epoch or release, any matches. */
export function compareToWantedRpmVersion(installed: string, wanted: string): number {
  const have = parseRpmVersion(installed)
  const want = parseRpmVersion(wanted)
  return (
    (want.epoch === undefined ? 0 : compareSegments(have.epoch ?? '0', want.epoch)) ||
    compareSegments(have.version, want.version) ||
    (want.release === undefined ? 0 : compareReleases(have.release, want.release))
  )
}

/** Runs of digits, runs of letters, and the two special characters; all others are separators. */
const SEGMENT = /[0-9]+|[A-Za-z]+|~|\^/g

function compareSegments(left: string, right: string): number {
  if (left === right) return 0
  const a = left.match(SEGMENT) ?? []
  const b = right.match(SEGMENT) ?? []
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference = compareSegment(a[index], b[index])
    if (difference !== 0) return difference
  }
  return 0
}

function compareSegment(left: string | undefined, right: string | undefined): number {
  if (left === right) return 0
  if (left === '~') return -1
  if (right === '~') return 1
  if (left === undefined) return -1
  if (right === undefined) return 1
  if (left === '^') return -1
  if (right === '^') return 1
  return compareRuns(left, right)
}

/** A number is newer than letters; numbers of any length compare by value. */
function compareRuns(left: string, right: string): number {
  const isNumber = /^[0-9]/.test(left)
  if (isNumber !== /^[0-9]/.test(right)) return isNumber ? 1 : -1
  const a = isNumber ? left.replace(/^0+/, '') : left
  const b = isNumber ? right.replace(/^0+/, '') : right
  if (isNumber && a.length !== b.length) return a.length - b.length
  return a < b ? -1 : Number(a > b)
}
