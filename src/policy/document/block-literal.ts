import { type Scanner, take } from './text-scanner.ts'

const HEADER = /\|-?(?: *\n| +#.*\n)/y

/** Reads a literal block with a parent in column `parent`, from its `|` to the start of the next line. */
export function takeLiteral(scanner: Scanner, parent: number): string | undefined {
  const header = take(scanner, HEADER)
  if (header === undefined) return undefined
  const { text } = scanner
  const indent = indentAt(text, scanner.at)
  // A block that is empty or starts with an empty line is left to the full parser.
  if (indent <= parent || isEnd(text, scanner.at + indent)) return undefined
  const lines: string[] = []
  let size = 0
  for (;;) {
    const start = scanner.at
    const own = indentAt(text, start)
    const isEmpty = isEnd(text, start + own)
    if (start >= text.length || (!isEmpty && own < indent)) {
      // A less indented line must be outside the parent.
      if (start < text.length && own > parent) return undefined
      break
    }
    const end = text.indexOf('\n', start)
    if (end < 0 || (isEmpty && own > indent)) return undefined
    lines.push(text.slice(Math.min(start + indent, end), end))
    if (!isEmpty) size = lines.length
    scanner.at = end + 1
  }
  const value = lines.slice(0, size).join('\n')
  return header.startsWith('|-') ? value : `${value}\n`
}

function indentAt(text: string, start: number): number {
  let at = start
  while (text.charCodeAt(at) === 0x20) at++
  return at - start
}

function isEnd(text: string, at: number): boolean {
  return at >= text.length || text.charCodeAt(at) === 0x0a
}
