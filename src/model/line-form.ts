const BOM = '\uFEFF'

/** Splits a text into its byte order mark and the rest. */
export function splitMark(text: string): readonly [mark: string, text: string] {
  return text.startsWith(BOM) ? [BOM, text.slice(1)] : ['', text]
}

/**
 * Gives an edited text the line format of the original: byte order mark, CRLF if every line had it, and no line end on
 * the last line if it had none. An empty last line keeps its line end.
 */
export function keepLineForm(before: string, after: string): string {
  const [mark, old] = splitMark(before)
  const text = mark === '' ? after : after.replace(mark, '')
  const hasCrlf = old.includes('\n') && !/(?:^|[^\r])\n/.test(old)
  const isUnended = old !== '' && !old.endsWith('\n')
  const ended = hasCrlf ? text.replaceAll(/\r?\n/g, '\r\n') : text
  return mark + (isUnended ? ended.replace(/(?<=[^\r\n])\r?\n$/, '') : ended)
}
