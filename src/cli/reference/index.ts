import type { DocumentedType } from './describe.ts'
import { describeTypes } from './describe.ts'
import { markdownPages, renderMarkdown } from './markdown.ts'
import { renderTerminal, type TerminalOptions } from './terminal.ts'

/** How a reference is written: for a terminal, or as one Markdown document. */
export type ReferenceOptions = ({ readonly format: 'text' } & TerminalOptions) | { readonly format: 'markdown' }

/** The reference of these types, in their order, as one text. Pure: the same types give the same text. */
export function renderReference(types: readonly DocumentedType[], options: ReferenceOptions): string {
  const reference = describeTypes(types)
  return options.format === 'text' ? renderTerminal(reference, options) : renderMarkdown(reference)
}

/** The reference of these types in Markdown, one page for each and an index, by the names of their files. */
export function referencePages(types: readonly DocumentedType[]): ReadonlyMap<string, string> {
  return markdownPages(describeTypes(types))
}
