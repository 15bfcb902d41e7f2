import { escapeForTerminal } from '../../../model/escape.ts'
import { clip } from '../../words/clip.ts'
import { escapeProse } from '../../words/markdown.ts'
import { NAMES } from './identifiers.ts'
import type { OscalProperty } from './types.ts'

const TEXT_CHARACTERS = 10_000

/** A line of Markdown; the format does not allow it to be empty. */
export function toLine(text: string): string {
  return escapeProse(clip(text, TEXT_CHARACTERS)) || '(nothing)'
}

/** Markdown with a paragraph for each line of the texts. */
export function paragraphs(texts: readonly string[]): string {
  return texts
    .flatMap((text) => text.split('\n'))
    .filter((text) => text.trim() !== '')
    .map(toLine)
    .join('\n\n')
}

/** Plain text; the format allows neither empty text nor surrounding space. */
export function toPlainText(text: string): string {
  return clip(escapeForTerminal(text), TEXT_CHARACTERS).trim() || '(nothing)'
}

/** A property in driftgate's namespace. */
export function property(name: string, value: string): OscalProperty {
  return { name, ns: NAMES, value: toPlainText(value) }
}

/** A list; undefined if empty, as the format requires. */
export function unlessEmpty<Item>(items: readonly Item[]): readonly Item[] | undefined {
  return items.length === 0 ? undefined : items
}
