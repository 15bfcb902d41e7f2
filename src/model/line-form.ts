const BOM = '\uFEFF'

/** A text without its byte order mark, and the mark. */
export function splitMark(text: string): readonly [mark: string, text: string] {
  return text.startsWith(BOM) ? [BOM, text.slice(1)] : ['', text]
}

/**
 * An edited text in the form of the text before the edit: a byte order mark stays in front, CRLF ends every line where it ended every line
 * before, and a last line without an end keeps none. An empty last line needs its end to be one.
 */
export function keepLineForm(before: string, after: string): string {
  const [mark, old] = splitMark(before)
  const text = mark === '' ? after : after.replace(mark, '')
  const hasCrlf = old.includes('\n') && !/(?:^|[^\r])\n/.test(old)
  const isUnended = old !== '' && !old.endsWith('\n')
  const ended = hasCrlf ? text.replaceAll(/\r?\n/g, '\r\n') : text
  return mark + (isUnended ? ended.replace(/(?<=[^\r\n])\r?\n$/, '') : ended)
}
