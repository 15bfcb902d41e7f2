const BAD_PATTERN = 'syntax error in pattern'

/** One part of a pattern: any sequence of characters, or one character of a set. */
type Part = { readonly kind: 'star' } | { readonly kind: 'one'; readonly fits: (character: string) => boolean }

/**
 * Whether a name matches a pattern of Go's path/filepath: `*` is any sequence of characters except `/`, `?` any one of
 * them, `[a-z]` and `[^a-z]` a set, and a backslash escapes. An invalid pattern matches nothing.
 * @see https://pkg.go.dev/path/filepath#Match
 */
export function matchesGlob(pattern: string, name: string): boolean {
  return compileGlob(pattern)?.(name) ?? false
}

/** Compiles a pattern to match many names; undefined if it is invalid. */
export function compileGlob(pattern: string): ((name: string) => boolean) | undefined {
  const parts = parseGlob(pattern)
  if (parts === undefined) return undefined
  return (name) => matchesParts(parts, Array.from(name))
}

/** Why a pattern is invalid; undefined if it is valid. */
export function globProblem(pattern: string): string | undefined {
  return parseGlob(pattern) === undefined ? BAD_PATTERN : undefined
}

function parseGlob(pattern: string): readonly Part[] | undefined {
  const characters = Array.from(pattern)
  const parts: Part[] = []
  for (let index = 0; index < characters.length;) {
    const parsed = parsePart(characters, index)
    if (parsed === undefined) return undefined
    parts.push(parsed.part)
    index = parsed.end
  }
  return parts
}

interface Parsed {
  readonly part: Part
  readonly end: number
}

function parsePart(characters: readonly string[], start: number): Parsed | undefined {
  switch (characters[start]) {
    case '*':
      return { part: { kind: 'star' }, end: start + 1 }
    case '?':
      return { part: { kind: 'one', fits: (character) => character !== '/' }, end: start + 1 }
    case '[':
      return parseSet(characters, start + 1)
    default: {
      const literal = readCharacter(characters, start, () => true)
      if (literal === undefined) return undefined
      return { part: { kind: 'one', fits: (character) => character === literal.character }, end: literal.end }
    }
  }
}

type Range = readonly [low: string, high: string]

function parseSet(characters: readonly string[], start: number): Parsed | undefined {
  const negated = characters[start] === '^'
  const ranges: Range[] = []
  let index = negated ? start + 1 : start
  while (characters[index] !== ']' || ranges.length === 0) {
    const low = readCharacter(characters, index, isSetCharacter)
    if (low === undefined) return undefined
    const isRange = characters[low.end] === '-'
    const high = isRange ? readCharacter(characters, low.end + 1, isSetCharacter) : low
    if (high === undefined) return undefined
    ranges.push([low.character, high.character])
    index = high.end
  }
  const contains = (character: string): boolean =>
    ranges.some(([low, high]) => codeOf(low) <= codeOf(character) && codeOf(character) <= codeOf(high))
  return { part: { kind: 'one', fits: (character) => contains(character) !== negated }, end: index + 1 }
}

/** In a set, `-` and `]` are special and need a backslash. */
function isSetCharacter(character: string): boolean {
  return character !== '-' && character !== ']'
}

function readCharacter(
  characters: readonly string[],
  index: number,
  mayStandAlone: (character: string) => boolean,
): { readonly character: string; readonly end: number } | undefined {
  const first = characters[index]
  if (first === '\\') {
    const second = characters[index + 1]
    return second === undefined ? undefined : { character: second, end: index + 2 }
  }
  return first === undefined || !mayStandAlone(first) ? undefined : { character: first, end: index + 1 }
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0
}

/** At most O(pattern × name): after a mismatch only the last star is tried again. */
function matchesParts(parts: readonly Part[], name: readonly string[]): boolean {
  let position = 0
  let index = 0
  let star = -1
  let resume = 0
  for (let character = name[0]; character !== undefined; character = name[index]) {
    const part = parts[position]
    if (part?.kind === 'star') {
      star = position++
      resume = index
    } else if (part?.kind === 'one' && part.fits(character)) {
      position++
      index++
    } else if (star >= 0 && name[resume] !== '/') {
      position = star + 1
      index = ++resume
    } else {
      return false
    }
  }
  while (parts[position]?.kind === 'star') position++
  return position === parts.length
}
