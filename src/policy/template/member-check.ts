import type { CompiledExpression } from '../../templates/expr/index.ts'
import { errorAt } from '../../templates/expr/position.ts'
import { type MemberRead, memberReadsOf } from './member-reads.ts'
import { shapeBelow, type Shape } from './shape.ts'
import { missingHint, missingMessage } from './strict-values.ts'

/** Says whether a key of the data is known not to exist, and which keys there are in its place; undefined where not. */
export type MissingTest = (
  path: readonly (string | number)[],
) => { readonly known: readonly string[]; readonly at: number } | undefined

/** What is known before an expression is evaluated. */
export interface KnownMembers {
  readonly facts: Shape
  /** Whether a fact exists all the same, because it was added. */
  readonly isKnownFact: (path: readonly string[]) => boolean
  readonly isMissing?: MissingTest | undefined
}

/**
 * Throws `TemplateError` for the first value that an expression reads, without asking whether it is there, and that is
 * known not to exist on any machine.
 */
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

/** Only of the families that come from the machine is it known what they can hold. */
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
