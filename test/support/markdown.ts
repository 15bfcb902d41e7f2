import { createRequire } from 'node:module'

/** A piece of a document as markdown-it reads it. */
export interface MarkdownToken {
  readonly type: string
  readonly tag: string
  readonly content: string
  readonly info: string
  readonly children: readonly MarkdownToken[] | null
}

interface Reader {
  readonly parse: (text: string, environment: object) => readonly MarkdownToken[]
  readonly linkify: { readonly set: (options: Readonly<Record<string, boolean>>) => unknown }
}

/** The reader that typedoc brings along, with what GitHub adds: tables, struck text, HTML, links out of bare addresses. */
const reader = createReader()

/** The blocks of a document, those in blocks of HTML included. */
export function parseMarkdown(text: string): readonly MarkdownToken[] {
  return reader.parse(text, {})
}

/** All pieces of a document, those inside of lines after their block. */
export function flattenMarkdown(tokens: readonly MarkdownToken[]): readonly MarkdownToken[] {
  return tokens.flatMap((token) => [token, ...flattenMarkdown(token.children ?? [])])
}

/** The texts of a line as a browser shows them: line breaks of HTML as such, entities and escapes decoded. */
export function visibleText({ children, content }: MarkdownToken): string {
  if (children === null) return content
  return children
    .map(({ type, content: text }) => (type === 'html_inline' ? (text === '<br>' ? '\n' : '') : text))
    .join('')
}

/** The tables of a document, each as its rows of visible cells, the head first. */
export function tablesOf(text: string): readonly (readonly (readonly string[])[])[] {
  const tables: string[][][] = []
  const tokens = parseMarkdown(text)
  tokens.forEach(({ type }, index) => {
    if (type === 'table_open') tables.push([])
    if (type === 'tr_open') tables.at(-1)?.push([])
    const inline = tokens[index + 1]
    if ((type === 'td_open' || type === 'th_open') && inline !== undefined)
      tables.at(-1)?.at(-1)?.push(visibleText(inline))
  })
  return tables
}

function createReader(): Reader {
  const MarkdownIt = createRequire(import.meta.resolve('typedoc'))('markdown-it') as new (options: object) => Reader
  const created = new MarkdownIt({ html: true, linkify: true })
  created.linkify.set({ fuzzyLink: false })
  return created
}
