import { escapeForTerminal } from '../../model/escape.ts'

/**
 * Signs beyond ASCII. They come to a template with a tag as values: the build writes ASCII alone, and what stands in such a
 * template cannot be written in any other way.
 */
export const SIGN = { dot: '\u00b7', dash: '\u2013', below: '\u203a', becomes: '\u2192', times: '\u00d7' } as const

/** HTML that is safe to be put into a page. Made by `markup` and `trusted` alone. */
export interface Markup {
  readonly html: string
}

/** What a template may hold: text, which is escaped, or what is markup already. Nothing comes of undefined and false. */
export type Part = string | number | Markup | undefined | false | readonly Part[]

/** What ends a text in HTML, and the two code points that a document must not hold. */
const HAZARD = /[&<>"\ufffe\uffff]/g
const REPLACEMENTS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\ufffe': String.raw`\ufffe`,
  '\uffff': String.raw`\uffff`,
}

/** Longer texts are cut: a page is for reading, and the JSON report has all of it. */
const LONGEST_TEXT = 4_000

/** HTML with every text in it escaped, for elements as for attributes in double quotes. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  let html = strings[0] ?? ''
  for (const [index, part] of parts.entries()) html += toHtml(part) + (strings[index + 1] ?? '')
  return { html }
}

/** Markup of a text that was written for the page, or that came out of `escapeText`. */
export function trusted(html: string): Markup {
  return { html }
}

/** One piece of text on one line: what would be invisible or reorder it is shown as an escape, and no markup is left. */
export function escapeText(text: string): string {
  return escapeLine(clip(text))
}

/** The lines of a text, for elements that keep line feeds. */
export function linesOf(text: string): Markup {
  return trusted(clip(text).split('\n').map(escapeLine).join('\n'))
}

function escapeLine(text: string): string {
  return escapeForTerminal(text).replace(HAZARD, (character) => REPLACEMENTS[character] ?? '')
}

function toHtml(part: Part): string {
  if (typeof part === 'string') return escapeText(part)
  if (typeof part === 'number') return String(part)
  if (part === undefined || part === false) return ''
  if ('html' in part) return part.html
  return part.map(toHtml).join('')
}

function clip(text: string): string {
  if (text.length <= LONGEST_TEXT) return text
  return `${text.slice(0, LONGEST_TEXT)}… (${text.length - LONGEST_TEXT} more characters)`
}
