import { unreadable } from '../../model/differences.ts'
import type { Drift, UnknownProperty } from '../../model/drift.ts'
import { unknown } from '../../model/observation.ts'
import type { StoredAssignment } from './sysctl-conf.ts'

/** What one of the looks comes to: paths whose value, or whose line in a file, is not accepted. */
export interface Finding {
  readonly drift: readonly Drift[]
  readonly unknown: readonly UnknownProperty[]
  readonly paths: readonly string[]
}

/** That all is as wanted. */
export const NOTHING: Finding = { drift: [], unknown: [], paths: [] }

/** All that was found. */
export function mergeFindings(findings: readonly Finding[]): Finding {
  return {
    drift: findings.flatMap(({ drift }) => drift),
    unknown: findings.flatMap((finding) => finding.unknown),
    paths: findings.flatMap(({ paths }) => paths),
  }
}

/** That one of the looks failed. */
export function notSeen(property: string, reason: Parameters<typeof unreadable>[1]): Finding {
  return { drift: [], unknown: [unreadable(property, reason)], paths: [] }
}

/** That what an interface has is no number. */
export function noNumber({
  name,
  value,
}: {
  readonly name: string
  readonly value: string
}): ReturnType<typeof unknown> {
  return unknown('invalid', `${name} has ${value}, which cannot be combined with the value of all`)
}

/** That a pattern may be about the parameter, or that its value is unknown. */
export function unclearLine({ file, line, key, doubt }: StoredAssignment): ReturnType<typeof unknown> {
  if (doubt !== undefined) return unknown('not-observable', doubt)
  return unknown('invalid', `${file}:${line}: cannot tell what the pattern ${key} matches`)
}

/** Which line of a file it is. */
export function setBy({ file, line }: StoredAssignment): string {
  return `set by ${file}:${line}`
}
