/** An opener of an expression. `${` before another `{` is a dollar sign before `{{`. */
const OPENERS = /\{\{|\$\{(?!\{)/g

/**
 * The template whose expansion is this very text: `$${` for `${` and `{{ '{{' }}` for `{{`. Text without them is its own
 * template.
 */
export function escapeTemplate(text: string): string {
  return text.replace(OPENERS, (opener) => (opener === '{{' ? "{{ '{{' }}" : '$${'))
}

/**
 * The template of text that stands directly before an expression in `{{ }}`: a brace at its end must not become part of
 * the opener.
 */
export function escapeBeforeExpression(text: string): string {
  return text.endsWith('{') ? `${escapeTemplate(text.slice(0, -1))}{{ '{' }}` : escapeTemplate(text)
}
