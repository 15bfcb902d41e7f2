// Text with the colours of a terminal as a picture.
const WIDTH = 8.43
const HEIGHT = 20
const MARGIN = 16
const ESCAPE = '\u001B'

/** What chalk writes: the class of a code, and what ends it. */
const STARTS = { 1: 'bold', 2: 'dim', 31: 'red', 32: 'green', 33: 'yellow' }
const STYLE = `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#e6edf3;white-space:pre}
.bold{font-weight:600;fill:#fff}.dim{fill:#8b949e}.red{fill:#ff7b72}.green{fill:#7ee787}.yellow{fill:#e3b341}`

/** An SVG of a terminal with this text. */
export function pictureOf(text) {
  const lines = text.trimEnd().split('\n').map(partsOf)
  const columns = Math.max(...lines.map((parts) => parts.reduce((sum, { text }) => sum + text.length, 0)))
  const width = Math.ceil(columns * WIDTH + 2 * MARGIN)
  const height = lines.length * HEIGHT + 2 * MARGIN
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<style>${STYLE}</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${lines.flatMap((parts, index) => lineOf(parts, MARGIN + (index + 0.75) * HEIGHT)).join('\n')}
</svg>
`
}

/** Pieces of a line, each with the class that is on. */
function partsOf(line) {
  return line.split(ESCAPE).flatMap((piece) => {
    const [, code, text] = /^(?:\[(\d+)m)?(.*)$/.exec(piece)
    return text === '' ? [] : [{ text, style: STARTS[code] }]
  })
}

/** Each piece starts at its column in fonts of any width. */
function lineOf(parts, y) {
  let column = 0
  const pieces = parts.map(({ text, style }) => {
    const blanks = text.length - text.trimStart().length
    const x = (MARGIN + (column + blanks) * WIDTH).toFixed(1)
    column += text.length
    const shown = text.trim()
    const length = (shown.length * WIDTH).toFixed(1)
    return `<tspan x="${x}" textLength="${length}"${style === undefined ? '' : ` class="${style}"`}>${escaped(shown)}</tspan>`
  })
  return parts.length === 0 ? [] : [`<text y="${y}">${pieces.join('')}</text>`]
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
