/** Starts of expressions. `${` before another `{` is a dollar sign before `{{`. */
const OPENERS = /\{{2,}|\$\{(?!\{)/g

/** Starts of expressions in a text followed by `{{`, including a trailing brace. */
const OPENERS_BEFORE_BRACES = /\{{2,}|\{$|\$\{(?!\{|$)/g

/** A text that would consist of a single expression, which ignores surrounding whitespace. */
const LONE_BRACES = /^(\s+\{{2,}\s*|\{{2,}\s+)$/

/** Template that expands to exactly this text: `$${` for `${` and `{{ '{{' }}` for `{{`; other text is unchanged. */
export function escapeTemplate(text: string): string {
  if (LONE_BRACES.test(text)) return `{{ ${JSON.stringify(text)} }}`
  return text.replace(OPENERS, escapeOpener)
}

/** The value with templates in place of all its texts: what looks like a template stays as it is. */
export function escapeTemplates(value: unknown): unknown {
  if (typeof value === 'string') return escapeTemplate(value)
  if (Array.isArray(value)) return value.map(escapeTemplates)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, escapeTemplates(each)]))
}

/** Template of a text directly before a `{{ }}` expression. */
export function escapeBeforeExpression(text: string): string {
  return text.replace(OPENERS_BEFORE_BRACES, escapeOpener)
}

function escapeOpener(opener: string): string {
  return opener === '${' ? '$${' : `{{ '${opener}' }}`
}
