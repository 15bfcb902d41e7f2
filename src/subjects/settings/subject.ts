import { absolutePathProblem } from '../../model/path-rules.ts'
import { didYouMean } from '../../model/suggest.ts'
import type { KeyName } from '../../settings/assignment.ts'
import type { Surface } from '../../settings/surface.ts'

/** The meaning of a name: a key of a surface, or of a file with a format. */
export type Subject =
  | { readonly kind: 'surface'; readonly surface: Surface; readonly key: KeyName }
  | { readonly kind: 'file'; readonly path: string; readonly keyText: string }

/** Parses `surface:key` or `/path/file:key`; returns a sentence if invalid. */
export function subjectOf(
  name: string,
  surfaces: readonly Surface[],
): Subject | { readonly kind: 'none'; readonly problem: string } {
  const colon = name.indexOf(':')
  const [owner, keyText] = [name.slice(0, Math.max(colon, 0)), name.slice(colon + 1)]
  if (owner === '' || keyText === '') {
    return invalidName('name must be SURFACE:KEY, such as login.defs:PASS_MAX_DAYS, or FILE:KEY with a format')
  }
  if (owner.startsWith('/')) {
    const problem = absolutePathProblem(owner)
    return problem === undefined ? { kind: 'file', path: owner, keyText } : invalidName(`the file in name ${problem}`)
  }
  const surface = surfaces.find((each) => each.name === owner)
  if (surface === undefined) {
    const names = surfaces.map((each) => each.name)
    return invalidName(
      `name has an unknown surface ${owner}${didYouMean(owner, names)}; the surfaces are ${names.join(', ')}`,
    )
  }
  const key = surface.keyOf(keyText)
  return 'problem' in key
    ? invalidName(`the key ${keyText} of ${owner} ${key.problem}`)
    : { kind: 'surface', surface, key }
}

function invalidName(problem: string): { readonly kind: 'none'; readonly problem: string } {
  return { kind: 'none', problem }
}
