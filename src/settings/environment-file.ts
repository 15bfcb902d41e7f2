/** An assignment of an environment file, with its line. */
export interface EnvironmentLine {
  readonly name: string
  readonly value: string
  readonly line: number
}

const QUOTED = /'[^']*'?|"(?:[^"\\]|\\[^])*"?/

/** A comment, an assignment or another line; quoted and escaped line ends are within the value. */
const STATEMENT = new RegExp(
  String.raw`[#;].*|(?<name>[^\s=#;][^=\r\n]*)=[ \t]*(?<quoted>(?:(?:${QUOTED.source})[ \t]*)*)(?<plain>(?:\\[^]|[^\\\r\n])*)|\S.*`,
  'g',
)

/** Parses a file of `EnvironmentFile=`. Quotes count only before the unquoted part of a value. @see systemd.exec(5) */
export function parseEnvironmentFile(text: string): readonly EnvironmentLine[] {
  const lines: EnvironmentLine[] = []
  let line = 1
  let end = 0
  for (const match of text.matchAll(STATEMENT)) {
    line += text.slice(end, match.index).split('\n').length - 1
    end = match.index
    const { name, quoted = '', plain = '' } = match.groups ?? {}
    if (name === undefined || !/^[A-Za-z_]\w*[ \t]*$/.test(name)) continue
    const pieces = quoted.match(new RegExp(QUOTED, 'g')) ?? []
    lines.push({ name: name.trim(), value: pieces.map(unquote).join('') + unescape(plain), line })
  }
  return lines
}

function unquote(piece: string): string {
  const inner = piece.slice(1, piece.length > 1 && piece.endsWith(piece.charAt(0)) ? -1 : undefined)
  if (piece.startsWith("'")) return inner
  return inner.replace(/\\([^])/g, (written, letter: string) => {
    if (letter === '\n') return ''
    return '"\\`$'.includes(letter) ? letter : written
  })
}

function unescape(plain: string): string {
  const letters = plain.match(/\\[^]|[^]/g) ?? []
  while (/^[ \t]$/.test(letters.at(-1) ?? '')) letters.pop()
  return letters.map((each) => (each === '\\\n' ? '' : each.replace(/^\\(?=[^])/, ''))).join('')
}
