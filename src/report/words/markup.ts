import { escapeForTerminal } from '../../model/escape.ts'

/**
 * Characters beyond ASCII. They are inserted into tagged templates as values: the build writes only ASCII, and a tagged
 * template cannot contain escapes.
 */
export const SIGN = { dot: '\u00b7', dash: '\u2013', below: '\u203a', becomes: '\u2192', times: '\u00d7' } as const

/** Safe HTML. Made only by `markup` and `trusted`. */
export interface Markup {
  readonly html: string
}

/** A value in a template: text, which is escaped, or markup. Undefined and false become empty. */
export type Part = string | number | Markup | undefined | false | readonly Part[]

/** Characters that end text in HTML, and two code points that documents must not contain. */
const HAZARD = /[&<>"\ufffe\uffff]/g
const REPLACEMENTS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\ufffe': String.raw`\ufffe`,
  '\uffff': String.raw`\uffff`,
}

/** Longer texts are cut; the JSON report has all of them. */
const LONGEST_TEXT = 4_000

/** HTML with every value escaped, for elements and for attributes in double quotes. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  let html = strings[0] ?? ''
  for (const [index, part] of parts.entries()) html += toHtml(part) + (strings[index + 1] ?? '')
  return { html }
}

/** Wraps HTML that was written for the page, or returned by `escapeText`. */
export function trustHtml(html: string): Markup {
  return { html }
}

/** Escapes one line of text: invisible and reordering characters become visible escapes, and no markup is left. */
export function escapeText(text: string): string {
  return escapeLine(clip(text))
}

/** The lines of a text, for elements that keep line feeds. */
export function linesOf(text: string): Markup {
  return trustHtml(clip(text).split('\n').map(escapeLine).join('\n'))
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
