/**
 * Maximum text that one path may read and write, in characters. A lookup in a large fact document reads it a few times; only a
 * path made to multiply work comes near this limit.
 */
const maxCharacters = 50_000_000

/** Maximum nesting of evaluations: document levels, nested queries, members of multipaths. */
const maxDepth = 500

/** Thrown inside the engine if a path costs too much; callers get a result with `exhausted`. */
export class WorkExceeded extends Error {
  override readonly name = 'WorkExceeded'
}

/** Budget of one evaluation, shared by its nested evaluations. */
export interface Work {
  charactersLeft: number
  depth: number
}

export function startWork(): Work {
  return { charactersLeft: maxCharacters, depth: 0 }
}

/** Takes `characters` from the budget. Throws a `WorkExceeded` if the budget is exhausted. */
export function charge(work: Work, characters: number): void {
  work.charactersLeft -= characters
  if (work.charactersLeft < 0) throw new WorkExceeded('the path needs too much work')
}

/** Runs one nested evaluation. Throws a `WorkExceeded` at the nesting limit. */
export function runNested<Value>(work: Work, run: () => Value): Value {
  if (work.depth >= maxDepth) throw new WorkExceeded('the path nests too deeply')
  work.depth += 1
  const value = run()
  work.depth -= 1
  return value
}
