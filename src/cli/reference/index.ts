import { type DocumentedType, describeTypes } from './describe.ts'
import { markdownPages, renderMarkdown } from './markdown.ts'
import { renderTerminal, type TerminalOptions } from './terminal.ts'

/** Output format of a reference: for a terminal, or as one Markdown document. */
export type ReferenceOptions = ({ readonly format: 'text' } & TerminalOptions) | { readonly format: 'markdown' }

/** Reference of these types, in order. Deterministic. */
export function renderReference(types: readonly DocumentedType[], options: ReferenceOptions): string {
  const reference = describeTypes(types)
  return options.format === 'text' ? renderTerminal(reference, options) : renderMarkdown(reference)
}

/** Markdown reference of these types: one page per type and an index, by file name. */
export function referencePages(types: readonly DocumentedType[]): ReadonlyMap<string, string> {
  return markdownPages(describeTypes(types))
}
