import type { CompiledExpression } from '../../templates/expr/index.ts'
import { errorAt } from '../../templates/expr/position.ts'
import { type MemberRead, memberReadsOf } from './member-reads.ts'
import { shapeBelow, type Shape } from './shape.ts'
import { missingHint, missingMessage } from './strict-values.ts'

/** Whether a key of the data is known to be missing, with the existing keys; undefined if unknown or present. */
export type MissingTest = (
  path: readonly (string | number)[],
) => { readonly known: readonly string[]; readonly at: number } | undefined

/** The names known before an evaluation. */
export interface KnownMembers {
  readonly facts: Shape
  /** Whether a fact exists beyond the shape, because it was added. */
  readonly isKnownFact: (path: readonly string[]) => boolean
  readonly isMissing?: MissingTest | undefined
}

/** Throws a `TemplateError` for the first unguarded read of a value that exists on no machine. */
export function checkMembers({ source, root }: CompiledExpression, known: KnownMembers): void {
  for (const read of memberReadsOf(root)) {
    if (read.isAsked) continue
    const missing = read.root === 'Facts' ? missingFact(read, known) : known.isMissing?.(read.path)
    if (missing === undefined) continue
    const message = missingMessage(read.root, read.path.slice(0, missing.at + 1))
    const hint = missingHint(String(read.path[missing.at] ?? ''), missing.known)
    throw errorAt(message, source, read.offsets[missing.at] ?? read.offsets.at(-1) ?? 0, { hint })
  }
}

/** Only the shapes of the machine's fact families are known. */
function missingFact({ path }: MemberRead, { facts, isKnownFact }: KnownMembers): ReturnType<MissingTest> {
  const [family = ''] = path
  let shape = shapeBelow(facts, family)
  if (shape === undefined) return undefined
  for (const [at, step] of path.entries()) {
    if (at === 0) continue
    const inner: Shape | undefined = shapeBelow(shape, step)
    if (inner === undefined) {
      if (isKnownFact(path.slice(0, at + 1).map(String))) return undefined
      return { known: shape.kind === 'map' ? [...shape.members.keys()] : [], at }
    }
    shape = inner
  }
  return undefined
}
