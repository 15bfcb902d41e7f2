/** A section of a Markdown document that can be shortened: rows are dropped from the end, never cut. */
export interface MarkdownSection {
  /** Its name in the remark on dropped rows. */
  readonly name: string
  /** Lines before and after the rows; left out without rows. */
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** Each row is one text, possibly of several lines. */
  readonly rows: readonly string[]
  /** Maximum number of characters, to leave room for later sections. */
  readonly atMost?: number
}

/** A folded section. HTML ends at the blank line, so Markdown continues inside. */
export function foldedSection(name: string, head: readonly string[], rows: readonly string[]): MarkdownSection {
  const before = ['<details>', `<summary>${name} (${rows.length})</summary>`, '', ...head]
  return { name, before, rows, after: ['', '</details>'] }
}

export function tableHead(columns: readonly { readonly title: string }[]): readonly string[] {
  return [`| ${columns.map(({ title }) => title).join(' | ')} |`, `|${columns.map(() => ' --- |').join('')}`]
}

/** Room for the remark on dropped rows. */
const SENTENCE_CHARACTERS = 500

/**
 * Fits the sections between a head and a foot into a number of characters, giving precedence to earlier ones. Dropped
 * rows are counted in a sentence before the foot.
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

/** As many rows of a section as fit. */
function fill({ before, rows, after }: MarkdownSection, room: number): { text: string; count: number } {
  const [opening, closing] = [before, after].map((lines) => lines.map((line) => `${line}\n`).join(''))
  let text = opening ?? ''
  let count = 0
  // An additional line feed separates sections.
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
