const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r', '"': '\\"', '\\': '\\\\' }

/**
 * Quotes a literal word for `ExecStart=`: `%` and `$` are doubled, and quotes added if needed. The text must not
 * contain NUL. @see systemd.service(5), section "Command Lines"; systemd.syntax(7)
 */
export function quoteArgument(text: string): string {
  return quote(text).replaceAll('$', '$$$$')
}

/** Quotes a path in a list such as `ReadWritePaths=`. It must not contain control characters. */
export function quotePath(text: string): string {
  return quote(text)
}

/** Escapes specifiers in a single-line value that is otherwise literal. */
export function escapeSpecifiers(text: string): string {
  return text.replaceAll('%', '%%')
}

function quote(text: string): string {
  const specified = escapeSpecifiers(text)
  if (/^[\w@%+=:,./-]+$/.test(text)) return specified
  // oxlint-disable-next-line no-control-regex -- control characters are what has to be written differently
  return `"${specified.replaceAll(/["\\\u0000-\u001f\u007f]/g, escape)}"`
}

function escape(character: string): string {
  return ESCAPES[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}
