/** A text as a cell of a table in Markdown. */
export function cell(text = '') {
  return String(text)
    .replaceAll('\n', ' ')
    .replaceAll('|', String.raw`\|`)
}
