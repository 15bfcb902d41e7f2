import type { ControlVerdict, Severity } from '../../../model/verdict.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { type Markup, markup, type Part } from '../../words/markup.ts'

/** The verdict as a label; its colour only repeats the word. */
export function verdictLabel(verdict: ControlVerdict): Markup {
  return markup`<span class="verdict" data-v="${verdict}">${verdict}</span>`
}

/** The severity as a word. */
export function severityLabel(severity: Severity): Markup {
  return markup`<span class="severity" data-s="${severity}">${severity}</span>`
}

/** A small label beside a name. */
export function badge(kind: 'new' | 'quiet' | 'waived' | 'bad', text: string): Markup {
  return markup`<span class="badge ${kind}">${text}</span>`
}

/** A link to another place of the page, or the text alone where there is no such place. */
export function linkTo(anchor: string | undefined, text: Part): Markup {
  return anchor === undefined ? markup`${text}` : markup`<a href="#${anchor}">${text}</a>`
}

/** A text as a link if it is the address of a web page and shows where it leads; else as text. */
export function linkIfAddress(text: string): Markup {
  const isAddress = /^https?:\/\/[^\s"'<>\\]+$/i.test(text) && URL.canParse(text) && escapeForTerminal(text) === text
  return isAddress ? markup`<a href="${text}" rel="noreferrer noopener">${text}</a>` : markup`${text}`
}

/** A cell of a table whose columns become lines with labels where the screen is narrow. */
export function cell(label: string, content: Part): Markup {
  return markup`<td data-label="${label}"><div>${content}</div></td>`
}

/** The parts with something between them. */
export function joined(parts: readonly Part[], separator: string): Markup {
  return markup`${parts.map((part, index) => (index === 0 ? part : [separator, part]))}`
}

/** Labelled facts; those without content are left out. */
export function facts(rows: readonly (readonly [label: string, content: Part])[]): Markup | undefined {
  const shown = rows.filter(([, content]) => content !== undefined && content !== false)
  if (shown.length === 0) return undefined
  return markup`<dl class="facts">${shown.map(([label, content]) => markup`<dt>${label}</dt><dd>${content}</dd>`)}</dl>`
}
