import type { RE2JS } from 're2js'
import { TemplateError } from '../errors.ts'
import { re2 } from '../re2.ts'

const MAX_CACHED = 500
const compiled = new Map<string, RE2JS>()

function compilePattern(pattern: string): RE2JS {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  if (compiled.size >= MAX_CACHED) compiled.clear()
  const created = toRegex(pattern)
  compiled.set(pattern, created)
  return created
}

function toRegex(pattern: string): RE2JS {
  try {
    return re2().compile(pattern)
  } catch (error) {
    if (!(error instanceof Error) || !error.name.startsWith('RE2JS')) throw error
    throw new TemplateError(error.message, undefined, { cause: error })
  }
}

/** Checks a pattern's syntax. Throws a `TemplateError` without a location. */
export function checkPattern(pattern: string): void {
  compilePattern(pattern)
}

/** Go's `regexp.MatchString`: RE2 syntax, linear time, unanchored. */
export function matchesPattern(pattern: string, text: string): boolean {
  return compilePattern(pattern).matcher(text).find()
}
