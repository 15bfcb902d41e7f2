const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r', '"': '\\"', '\\': '\\\\' }

/**
 * A word of `ExecStart=` that means exactly this text: quoted where it has to be, `%` doubled against specifiers and `$`
 * against variables. The text must hold no NUL. @see systemd.service(5), section "Command Lines"; systemd.syntax(7)
 */
export function quoteArgument(text: string): string {
  return quote(text).replaceAll('$', '$$$$')
}

/** A path in a list of paths, such as `ReadWritePaths=`, which must hold no control characters. */
export function quotePath(text: string): string {
  return quote(text)
}

/** A value that is taken as it stands but for specifiers. It must be one line. */
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
