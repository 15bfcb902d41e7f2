/** What would open an expression. `${` before another `{` is a dollar sign before `{{`. */
const OPENERS = /\{{2,}|\$\{(?!\{)/g

/** What would open one in front of `{{`: a brace at the end as well. */
const OPENERS_BEFORE_BRACES = /\{{2,}|\{$|\$\{(?!\{|$)/g

/** A text that would be nothing but one expression, which is taken without the white space around it. */
const LONE_BRACES = /^(\s+\{{2,}\s*|\{{2,}\s+)$/

/**
 * The template whose expansion is this very text: `$${` for `${` and `{{ '{{' }}` for `{{`. Text without them is its own
 * template.
 */
export function escapeTemplate(text: string): string {
  if (LONE_BRACES.test(text)) return `{{ ${JSON.stringify(text)} }}`
  return text.replace(OPENERS, escapeOpener)
}

/** The template of a text that stands directly before an expression in `{{ }}`. */
export function escapeBeforeExpression(text: string): string {
  return text.replace(OPENERS_BEFORE_BRACES, escapeOpener)
}

function escapeOpener(opener: string): string {
  return opener === '${' ? '$${' : `{{ '${opener}' }}`
}
