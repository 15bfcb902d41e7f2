/** A part of a Markdown document that can be shorter: its rows may be left out from the end, never torn. */
export interface MarkdownSection {
  /** What it is called when something of it is left out. */
  readonly name: string
  /** Lines before and after the rows; without rows they are left out, too. */
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** Each row is one text, of several lines where it is a block. */
  readonly rows: readonly string[]
  /** How many characters it takes at most, so that there is room for what comes after it. */
  readonly atMost?: number
}

/** A section that is folded by default. HTML ends at the blank line, so Markdown goes on inside. */
export function foldedSection(name: string, head: readonly string[], rows: readonly string[]): MarkdownSection {
  const before = ['<details>', `<summary>${name} (${rows.length})</summary>`, '', ...head]
  return { name, before, rows, after: ['', '</details>'] }
}

/** The head of a table with these columns. */
export function tableHead(columns: readonly { readonly title: string }[]): readonly string[] {
  return [`| ${columns.map(({ title }) => title).join(' | ')} |`, `|${columns.map(() => ' --- |').join('')}`]
}

/** Room for the sentence that says what is left out. */
const SENTENCE_CHARACTERS = 500

/**
 * The sections between a head and a foot in at most that many characters, the first ones first. What does not fit is left
 * out row by row and counted in a sentence before the foot.
 */
export function fitMarkdown(
  { head, sections, foot }: { head: string; sections: readonly MarkdownSection[]; foot: string },
  characters: number,
): string {
  let room = characters - head.length - foot.length - SENTENCE_CHARACTERS
  const left: { name: string; count: number }[] = []
  const parts: string[] = []
  for (const section of sections) {
    const { text, count } = fill(section, Math.min(room, section.atMost ?? room))
    room -= text.length
    if (text !== '') parts.push(text)
    if (count < section.rows.length) left.push({ name: section.name, count: section.rows.length - count })
  }
  return [head, ...parts, ...describeLeft(left), foot].join('\n')
}

/** As much of a section as there is room for, and how many of its rows that is. */
function fill({ before, rows, after }: MarkdownSection, room: number): { text: string; count: number } {
  const [opening, closing] = [before, after].map((lines) => lines.map((line) => `${line}\n`).join(''))
  let text = opening ?? ''
  let count = 0
  // One more line feed separates a section from the next.
  const end = (closing ?? '').length + 1
  for (const row of rows) {
    if (text.length + row.length + 1 + end > room) break
    text += `${row}\n`
    count += 1
  }
  return count === 0 ? { text: '', count } : { text: `${text}${closing}`, count }
}

function describeLeft(left: readonly { name: string; count: number }[]): readonly string[] {
  if (left.length === 0) return []
  const parts = left.map(({ name, count }) => `${count} of “${name}”`)
  return [
    `**This report is cut to the length of a comment.** Left out: ${parts.join(', ')}. The JSON report has all.\n`,
  ]
}
