/** Colours, which take no room. */
// oxlint-disable-next-line no-control-regex -- escape sequences begin with a control character
const COLOUR = /\u001B\[[0-9;]*m/g

/**
 * Breaks a line between words, so that a terminal of that width breaks none; a word that is longer than the width has a line
 * of its own. The lines after the first are indented by `hanging` spaces. Without a width the line stays as it is.
 */
export function wrapLine(line: string, width: number | undefined, hanging: number): readonly string[] {
  if (width === undefined || visibleWidth(line) <= width) return [line]
  const indent = ' '.repeat(hanging)
  const [, lead = '', text = ''] = /^( *)(.*)$/s.exec(line) ?? []
  const lines: string[] = []
  let current = lead
  let isEmpty = true
  for (const [, space = '', word = ''] of text.matchAll(/( *)([^ ]+)/g)) {
    if (!isEmpty && visibleWidth(current) + space.length + visibleWidth(word) > width) {
      lines.push(current)
      current = indent + word
    } else {
      current += (isEmpty ? '' : space) + word
    }
    isEmpty = false
  }
  return [...lines, current]
}

function visibleWidth(text: string): number {
  return text.replaceAll(COLOUR, '').length
}
