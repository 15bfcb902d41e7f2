/**
 * How much text one path may read and write, in characters. A lookup in a large fact document reads it a few times; only
 * a path made to multiply work comes near this.
 */
const maxCharacters = 50_000_000

/** How deeply evaluations may nest: levels of the document entered, nested queries, members of multipaths. */
const maxDepth = 500

/** Thrown inside the engine when a path costs too much, and caught at its door. */
export class WorkExceeded extends Error {
  override readonly name = 'WorkExceeded'
}

/** The budget of one evaluation, shared by everything the path makes happen. */
export interface Work {
  charactersLeft: number
  depth: number
}

/** A fresh budget. */
export function startWork(): Work {
  return { charactersLeft: maxCharacters, depth: 0 }
}

/** Takes `characters` from the budget. Throws `WorkExceeded` when nothing is left. */
export function charge(work: Work, characters: number): void {
  work.charactersLeft -= characters
  if (work.charactersLeft < 0) throw new WorkExceeded('the path needs too much work')
}

/** Runs one nested evaluation. Throws `WorkExceeded` when there are too many inside each other. */
export function nested<Value>(work: Work, run: () => Value): Value {
  if (work.depth >= maxDepth) throw new WorkExceeded('the path nests too deeply')
  work.depth += 1
  const value = run()
  work.depth -= 1
  return value
}
