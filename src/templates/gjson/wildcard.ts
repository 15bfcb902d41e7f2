import { charge, type Work } from './work.ts'

/**
 * Whether the whole text matches the pattern: `*` matches any characters, `?` exactly one, `\` escapes the next character. Time
 * is at most proportional to the product of both lengths, and is charged.
 */
export function matchesWildcard(work: Work, text: string, pattern: string): boolean {
  if (pattern === '*') return true
  const characters = Array.from(text)
  const parts = parsePattern(pattern)
  charge(work, characters.length + parts.length)
  let at = 0
  let part = 0
  let star: { readonly part: number; at: number } | undefined
  while (at < characters.length) {
    const expected = parts[part]
    if (expected === 'any') {
      star = { part, at }
      part += 1
    } else if (expected !== undefined && (expected === 'one' || expected.literal === characters[at])) {
      at += 1
      part += 1
    } else if (star !== undefined) {
      // Extends the last star by one character. Backtracking to earlier stars is never needed.
      charge(work, part - star.part)
      star.at += 1
      at = star.at
      part = star.part + 1
    } else {
      return false
    }
  }
  return parts.slice(part).every((rest) => rest === 'any')
}

type PatternPart = 'any' | 'one' | { readonly literal: string }

function parsePattern(pattern: string): PatternPart[] {
  const parts: PatternPart[] = []
  let escaped = false
  for (const char of pattern) {
    if (escaped) {
      parts.push({ literal: char })
      escaped = false
    } else if (char === '\\') {
      escaped = true
    } else {
      parts.push(partOf(char))
    }
  }
  // A backslash at the end escapes no character, and never matches.
  if (escaped) parts.push({ literal: '' })
  return parts
}

function partOf(char: string): PatternPart {
  if (char === '*') return 'any'
  return char === '?' ? 'one' : { literal: char }
}
