/**
 * Breaks a text into lines of at most `width` characters, each behind the indentation. White space in the text stands
 * for one space; a word that is longer than a line has one of its own.
 */
export function wrap(text: string, width: number, indent: string): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/).filter((each) => each !== '')) {
    if (line === '') line = word
    else if (indent.length + line.length + 1 + word.length <= width) line += ` ${word}`
    else {
      lines.push(`${indent}${line}`)
      line = word
    }
  }
  return line === '' ? lines : [...lines, `${indent}${line}`]
}
