import { isGoMap, type GoValue } from '../../govalue/index.ts'
import { copyMethods } from '../methods.ts'
import { ownText, setOwnText } from '../text-value.ts'

/** A semantic version; numbers are unsigned 64-bit. */
export interface SemanticVersion {
  readonly major: bigint
  readonly minor: bigint
  readonly patch: bigint
  readonly prerelease: string
  readonly metadata: string
  /** The parsed text. */
  readonly original: string
}

const versions = new WeakMap<ReadonlyMap<GoValue, GoValue>, SemanticVersion>()

/** Marks a map as a version, so that it prints and compares like one. */
export function registerSemver(value: ReadonlyMap<GoValue, GoValue>, version: SemanticVersion, text: string): void {
  versions.set(value, version)
  setOwnText(value, text)
}

/** Version of a value; undefined if it is not one. */
export function semverOf(value: GoValue): SemanticVersion | undefined {
  return isGoMap(value) ? versions.get(value) : undefined
}

export function isSemver(value: GoValue): boolean {
  return semverOf(value) !== undefined
}

/** Marks the copy of a version as a version too. */
export function copyOwnTraits(from: ReadonlyMap<GoValue, GoValue>, to: ReadonlyMap<GoValue, GoValue>): void {
  const version = versions.get(from)
  const text = ownText(from)
  if (version === undefined || text === undefined) return
  registerSemver(to, version, text)
  copyMethods(from, to)
}
