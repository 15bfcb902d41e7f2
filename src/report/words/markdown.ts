import { clip } from './clip.ts'
import { escapeForTerminal } from '../../model/escape.ts'

/** Special characters within a line. HTML and table characters become entities, the others get a backslash. */
const SIGNS = /[\\`*_{}[\]~$&<>|]/g
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '|': '&#124;' }

/** Text that would start a heading, a list, an underline of a heading or a quotation at the start of a line. */
const BLOCK = /^(?=[-+=#>])|^(?<number>\d+)(?=[.)](?:\s|$))/

/**
 * Prefixes that GitHub and GitLab turn into mentions of users and references to issues, merge requests, snippets,
 * milestones, labels, epics and alerts, and starts of URLs. They are detected in the rendered text, where escapes have
 * no effect, so a zero-width space separates the name.
 */
const REFERENCE = /[@#!$%~&^](?=[\p{L}\p{N}_"'])|\bGH(?=-\d)|\b(?:https?:|ftp:|mailto:|xmpp:|www\.)(?=\S)/giu
const NO_WIDTH = '&#8203;'

const BACKTICKS = /`+/g
/** Characters other than those that are safe in HTML code: no markup, no part of a URL. */
const NOT_PLAIN = /[^ \p{L}\p{N}/,;=+()%'"?-]/gu

/** Escapes untrusted text as one line of Markdown prose, also for a table cell: no markup, HTML, link or mention. */
export function escapeProse(text: string): string {
  const visible = escapeForTerminal(text).trim()
  let escaped = ''
  let end = 0
  for (const match of visible.matchAll(REFERENCE)) {
    const stop = match.index + match[0].length
    escaped += escapeSigns(visible.slice(end, stop)) + NO_WIDTH
    end = stop
  }
  return (escaped + escapeSigns(visible.slice(end))).replace(BLOCK, '$<number>\\')
}

function escapeSigns(text: string): string {
  return text.replace(SIGNS, (sign) => ENTITIES[sign] ?? `\\${sign}`)
}

/**
 * Untrusted text as inline code, also for a table cell. Code contains no mentions or links. Tables treat even a `|` in
 * code as the end of a cell, and readers differ on escapes before it, so such text becomes HTML code with entities.
 */
export function inlineCode(text: string): string {
  const visible = escapeForTerminal(text)
  if (visible.trim() === '') return '<code></code>'
  if (visible.includes('|')) return `<code>${visible.replace(NOT_PLAIN, toEntity)}</code>`
  const fence = '`'.repeat(longestRun(visible) + 1)
  const isPadded = /^`|`$|^ .* $/.test(visible)
  return isPadded ? `${fence} ${visible} ${fence}` : `${fence}${visible}${fence}`
}

function toEntity(sign: string): string {
  return `&#${sign.codePointAt(0) ?? 0};`
}

/** A fenced code block that its content cannot end. The language, such as `diff`, determines the colours. */
export function codeBlock(lines: readonly string[], language: string): readonly string[] {
  const visible = lines.map(escapeForTerminal)
  const longest = visible.reduce((length, line) => Math.max(length, longestRun(line)), 2)
  const fence = '`'.repeat(longest + 1)
  return [`${fence}${language}`, ...visible, fence]
}

function longestRun(text: string): number {
  return [...text.matchAll(BACKTICKS)].reduce((length, [run]) => Math.max(length, run.length), 0)
}

/** Characters of a name or value in a table or list. */
const CODE_CHARACTERS = 200
const PROSE_CHARACTERS = 300

/** Inline code, cut where it is long. */
export function shortCode(text: string): string {
  return inlineCode(clip(text, CODE_CHARACTERS))
}

/** Escaped prose, cut where it is long. */
export function shortProse(text: string): string {
  return escapeProse(clip(text, PROSE_CHARACTERS))
}
