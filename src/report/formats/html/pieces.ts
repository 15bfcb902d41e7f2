import type { ControlVerdict, Severity } from '../../../model/verdict.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { type Markup, markup, type Part } from '../../words/markup.ts'

export function verdictLabel(verdict: ControlVerdict): Markup {
  return markup`<span class="verdict" data-v="${verdict}">${verdict}</span>`
}

export function severityLabel(severity: Severity): Markup {
  return markup`<span class="severity" data-s="${severity}">${severity}</span>`
}

/** A small label beside a name. */
export function badge(kind: 'new' | 'quiet' | 'waived' | 'bad', text: string): Markup {
  return markup`<span class="badge ${kind}">${text}</span>`
}

/** A link within the page, or the plain text without an anchor. */
export function linkTo(anchor: string | undefined, text: Part): Markup {
  return anchor === undefined ? markup`${text}` : markup`<a href="#${anchor}">${text}</a>`
}

/** A link if the text is a web URL without hidden characters; otherwise plain text. */
export function linkIfAddress(text: string): Markup {
  const isAddress = /^https?:\/\/[^\s"'<>\\]+$/i.test(text) && URL.canParse(text) && escapeForTerminal(text) === text
  return isAddress ? markup`<a href="${text}" rel="noreferrer noopener">${text}</a>` : markup`${text}`
}

/** A table cell; on narrow screens, cells become lines with labels. */
export function cell(label: string, content: Part): Markup {
  return markup`<td data-label="${label}"><div>${content}</div></td>`
}

export function joinParts(parts: readonly Part[], separator: string): Markup {
  return markup`${parts.map((part, index) => (index === 0 ? part : [separator, part]))}`
}

/** A list of labelled facts; those without content are left out. */
export function renderFacts(rows: readonly (readonly [label: string, content: Part])[]): Markup | undefined {
  const shown = rows.filter(([, content]) => content !== undefined && content !== false)
  if (shown.length === 0) return undefined
  return markup`<dl class="facts">${shown.map(([label, content]) => markup`<dt>${label}</dt><dd>${content}</dd>`)}</dl>`
}
