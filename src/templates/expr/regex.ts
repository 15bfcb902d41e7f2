import { createRequire } from 'node:module'
import type { RE2JS } from 're2js'
import { TemplateError } from '../errors.ts'

type Engine = Pick<typeof RE2JS, 'compile'>

let engine: Engine | undefined

/**
 * Loads the RE2 engine in advance. Optional, except in a program bundled into one file, which must call it before it evaluates
 * expressions with `matches`, because only an `import()` is bundled.
 */
export async function loadRegexEngine(): Promise<void> {
  engine ??= (await import('re2js')).RE2JS
}

/** Evaluation is synchronous, so an engine that is not yet loaded is loaded synchronously. */
function regexEngine(): Engine {
  if (engine === undefined) {
    const loaded: { RE2JS: Engine } = createRequire(import.meta.url)('re2js')
    engine = loaded.RE2JS
  }
  return engine
}

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
    return regexEngine().compile(pattern)
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
