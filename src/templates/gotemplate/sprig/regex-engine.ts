import type { RE2JS } from 're2js'
import { TemplateError } from '../../errors.ts'
import type { Budget } from '../../govalue/index.ts'
import { re2 } from '../../re2.ts'

/** Match: pairs of start and end of the match and its groups; -1 for a group that did not take part. */
export type Match = readonly number[]

/** A compiled expression and its named groups. */
export interface Regex {
  readonly names: ReadonlyMap<string, number>
  /** The first match that starts at or after the position. */
  readonly find: (text: string, from: number) => Match | undefined
}

// Longer expressions and texts would take seconds.
const MAX_PATTERN_LENGTH = 10_000
const MAX_TEXT_LENGTH = 1_048_576

/** Compiles an RE2 expression. Throws `TemplateError` if it is invalid. */
export function compileRegex(pattern: string, budget: Budget): Regex {
  if (pattern.length > MAX_PATTERN_LENGTH) throw new TemplateError('regular expression is too long')
  budget.step()
  const compiled = compile(pattern)
  const groups = compiled.groupCount()
  const find = (text: string, from: number): Match | undefined => {
    budget.step()
    if (text.length > MAX_TEXT_LENGTH) throw new TemplateError('text is too long for a regular expression')
    const matcher = compiled.matcher(text)
    if (!matcher.find(from)) return undefined
    return Array.from({ length: groups + 1 }, (_, group) => [matcher.start(group), matcher.end(group)]).flat()
  }
  return { names: new Map(Object.entries(compiled.namedGroups())), find }
}

function compile(pattern: string): RE2JS {
  try {
    return re2().compile(pattern)
  } catch (cause) {
    // The engine throws for every invalid expression.
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new TemplateError(`regexp: Compile(\`${pattern}\`): ${reason}`, undefined, { cause })
  }
}
