import { unknown } from '../../model/observation.ts'
import type { StoredAssignment } from './sysctl-conf.ts'

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
