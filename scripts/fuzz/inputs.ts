import type { Random } from './random.ts'

type Pieces = readonly [string, ...string[]]

/** What inputs of a language are made of. */
export interface Grammar {
  /** Tokens of which most neighbours fit together, so that random sequences get far into parser and evaluator. */
  readonly pieces: Pieces
  /** Sound inputs to be mutated. */
  readonly seeds: Pieces
}

/** Splits at white space. The first piece is there for the type only. */
export function piecesOf(text: string): Pieces {
  const [first = '', ...rest] = text.trim().split(/\s+/)
  return [first, ...rest, ' ', '\n']
}

const SPECIAL: readonly [number, ...number[]] = [
  0, 9, 10, 13, 34, 39, 92, 96, 0x7f, 0x85, 0x2028, 0xd800, 0xdfff, 0xfffd,
]

/** One input: random text, a random sequence of pieces, a mutated seed, or two seeds grafted onto each other. */
export function makeInput({ pieces, seeds }: Grammar, random: Random): string {
  switch (random.below(8)) {
    case 0:
      return randomText(random)
    case 1:
    case 2:
    case 3:
      return Array.from({ length: 1 + random.below(24) }, () => random.pick(pieces)).join(random.pick(['', ' ', ' ']))
    case 4: {
      const [left, right] = [random.pick(seeds), random.pick(seeds)]
      return left.slice(0, random.below(left.length + 1)) + right.slice(random.below(right.length + 1))
    }
    case 5:
      return nest(random.pick(seeds), pieces, random)
    default:
      return mutate(random.pick(seeds), pieces, random)
  }
}

function randomText(random: Random): string {
  const unit = (): number => {
    const kind = random.below(10)
    if (kind === 0) return random.pick(SPECIAL)
    return kind === 1 ? random.below(0x10000) : 32 + random.below(95)
  }
  return String.fromCharCode(...Array.from({ length: random.below(60) }, unit))
}

function mutate(seed: string, pieces: Pieces, random: Random): string {
  let text = seed
  for (let edits = 1 + random.below(5); edits > 0; edits--) {
    const at = random.below(text.length + 1)
    const cut = random.below(6)
    const insert =
      random.below(4) === 0 ? randomText(random).slice(0, 3) : random.below(3) === 0 ? '' : random.pick(pieces)
    text = text.slice(0, at) + insert + text.slice(at + cut)
  }
  return text
}

/** The same piece many times around or in a row, which is what stacks and budgets have to endure. */
function nest(seed: string, pieces: Pieces, random: Random): string {
  const piece = random.pick(pieces)
  const repeated = piece.repeat(random.below(10) === 0 ? random.below(5_000) : random.below(40))
  const at = random.below(seed.length + 1)
  return seed.slice(0, at) + repeated + seed.slice(at)
}
