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

/** Template of a text directly before a `{{ }}` expression. */
export function escapeBeforeExpression(text: string): string {
  return text.replace(OPENERS_BEFORE_BRACES, escapeOpener)
}

function escapeOpener(opener: string): string {
  return opener === '${' ? '$${' : `{{ '${opener}' }}`
}
